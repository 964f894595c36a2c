import { beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems } from '../../../../support/node/accessibility.ts'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type PlayerSite,
	readVideo,
	sharePlayerSite,
	untilVideo,
} from '../player-site.node.ts'
import { AUDIO_COLUMNS, SPOKEN_PEAKS, withoutVideo } from './audio-film.node.ts'

const viewport = { width: 640, height: 180 }

describe('the player of audio without video', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let episode: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		episode = await site.publish('Episode 12', withoutVideo(site.film, SPOKEN_PEAKS), AUDIO_COLUMNS)
	})

	const open = async ({ playbackId }: Film = episode, size = viewport, kind = 'embed') => {
		const opened = await site.open(`/${kind}/${playbackId}`, { viewport: size })
		await opened.page.locator('.has-audio-look').waitFor()
		return opened
	}

	test('the player of audio shows a waveform as its time line, which a keyboard moves', async () => {
		await using opened = await open()
		const { page } = opened
		const track = page.locator('.seek-track')
		await expect.poll(() => track.getAttribute('style')).toContain('data:image/svg+xml')
		await page.getByRole('button', { name: 'Play' }).click()
		await untilVideo(page, 'video.currentTime > 0.1 && !video.paused')
		const slider = page.getByRole('slider', { name: 'Position' })
		await slider.focus()
		await page.keyboard.press('End')
		expect(await slider.getAttribute('aria-valuetext')).toMatch(/^1[56] seconds of 16 seconds$/)
		expect(opened.problems).toEqual([])
	})

	test('the player of audio has skips of 15 s and a speed, and no buttons for a picture', async () => {
		await using opened = await open()
		const { page } = opened
		await page.getByRole('button', { name: '15 seconds forward' }).click()
		await expect.poll(() => page.locator('.time-now').textContent()).toBe('0:15')
		await page.getByRole('button', { name: '15 seconds back' }).click()
		await expect.poll(() => page.locator('.time-now').textContent()).toBe('0:00')
		await page.getByRole('button', { name: 'Speed 1', exact: true }).click()
		expect(await readVideo(page, 'video.playbackRate')).toBe(1.25)
		for (let clicks = 0; clicks < 4; clicks++) await page.getByRole('button', { name: /^Speed/ }).click()
		expect(await readVideo(page, 'video.playbackRate')).toBe(0.25)
		for (const name of [/full screen/i, /picture in picture/i])
			expect(await page.getByRole('button', { name }).count()).toBe(0)
	})

	test.each([320, 640, 1_280])(
		'the controls of audio are within a frame of %d x 180 px and pass axe',
		async (width) => {
			await using opened = await open(episode, { width, height: 180 })
			const boxes = await opened.page
				.locator('.row .button:visible, .seek, .overlay-title')
				.evaluateAll((found) => found.map((element) => element.getBoundingClientRect().toJSON()))
			expect(boxes.length).toBeGreaterThan(5)
			const disabled = ['landmark-one-main', 'page-has-heading-one']
			expect(await accessibilityProblems(opened.page, { disabled })).toEqual([])
			for (const { left, right, top, bottom } of boxes) {
				expect([left >= 0, top >= 0, right <= width, bottom <= 180]).toEqual([true, true, true, true])
			}
		},
	)

	test('audio that was processed without peaks plays with a plain time line, also on its watch page', async () => {
		const old = await site.publish('Old', withoutVideo(site.film), AUDIO_COLUMNS)
		await using opened = await open(old, { width: 1_280, height: 720 }, 'watch')
		const { page } = opened
		expect(await page.locator('.seek-track').getAttribute('style')).toBeNull()
		expect(await page.locator('.stage').evaluate(({ clientHeight }) => clientHeight)).toBe(180)
		await page.getByRole('button', { name: 'Play' }).first().click()
		await untilVideo(page, hasFrame)
		expect(opened.problems).toEqual([])
	})
})
