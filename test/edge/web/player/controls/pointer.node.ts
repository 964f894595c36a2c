import { beforeAll, describe, expect, test } from 'vitest'
import { updateAsset } from '#schema/contract/video/assets.ts'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import { SECONDS } from '../player-media.node.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type PlayerSite,
	sharePlayerSite,
	untilVideo,
} from '../player-site.node.ts'

const isFullscreen = 'document.fullscreenElement?.id === "player"'

describe('mouse, fingers and more keys in the player', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Film')
		const body = { description: `0:00 Start\n0:05 ${'A long title '.repeat(8)}\n0:11 End` }
		await site.call(updateAsset, { params: { assetId: film.id }, body }, { token: site.token })
	})

	test('a double click on the player toggles full screen, and leaves playing and pausing as they were', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`)
		const { page } = opened
		await page.locator('.controls').waitFor({ state: 'attached' })
		await page.mouse.dblclick(200, 200)
		await untilVideo(page, `${isFullscreen} && ${hasFrame}`)
		await page.mouse.dblclick(200, 200)
		await untilVideo(page, `document.fullscreenElement === null && !video.paused`)
		await page.keyboard.press('k')
		await page.mouse.dblclick(200, 200)
		await untilVideo(page, `${isFullscreen} && video.paused`)
		expect(opened.problems).toEqual([])
	})

	test('the wheel over the volume of the player changes it, and the page stays', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`)
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await page.getByRole('button', { name: 'Mute' }).hover()
		await page.mouse.wheel(0, 100)
		await untilVideo(page, 'video.volume === 0.95')
		await page.mouse.wheel(0, -100)
		await untilVideo(page, 'video.volume === 1')
	})

	test('Home and End go to the beginning and the end of the video', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}?t=5`)
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		await page.keyboard.press('k')
		await page.keyboard.press('End')
		await untilVideo(page, `video.currentTime > ${SECONDS - 1}`)
		await page.keyboard.press('Home')
		await untilVideo(page, 'video.currentTime === 0')
	})

	test('a second tap hides the controls of the player while the video plays', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`, { hasTouch: true })
		const { page } = opened
		await page.tap('.start')
		await untilVideo(page, hasFrame)
		const classes = () => page.locator('.player').getAttribute('class')
		await expect.poll(classes).toContain('is-idle')
		await page.touchscreen.tap(400, 150)
		await expect.poll(classes).not.toContain('is-idle')
		await page.touchscreen.tap(400, 150)
		await expect.poll(classes).toContain('is-idle')
		await untilVideo(page, '!video.paused')
	})

	test('the preview of a player of 320×180 is within the frame, with a picture and a part of a long title', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`, {
			viewport: { width: 320, height: 180 },
		})
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		const line = await page.locator('.seek').boundingBox()
		await page.mouse.move((line?.x ?? 0) + (line?.width ?? 0) / 2, (line?.y ?? 0) + 12)
		await page.locator('.preview-image').waitFor()
		await page.locator('.preview-chapter').getByText('A long title').waitFor()
		const box = await page.locator('.preview').boundingBox()
		expect(box?.y).toBeGreaterThanOrEqual(0)
		expect(box?.x).toBeGreaterThanOrEqual(0)
		expect((await page.locator('.preview-image').boundingBox())?.height).toBeGreaterThan(50)
	})
})
