import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type PlayerSite,
	sharePlayerSite,
	untilVideo,
} from '../player-site.node.ts'

describe('missing segments', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Film')
	})

	const openWithout = async (segments: string, status: number, query = '') => {
		const opened = await site.open(`/embed/${film.playbackId}${query}`, {
			prepare: (page) => page.route(segments, (route) => route.fulfill({ status })),
		})
		await opened.page.evaluate(`{
			const video = document.querySelector('video.video')
			window.times = []
			window.notes = []
			video.addEventListener('timeupdate', () => video.readyState > 2 && times.push(video.currentTime))
			new MutationObserver(() => notes.push(document.querySelector('.announcer').textContent))
				.observe(document.querySelector('.announcer'), { childList: true })
		}`)
		await opened.page.click('.start')
		return opened
	}
	const read = <T>(page: Page, name: string) => page.evaluate<T>(name)

	test.each([404, 410])(
		'the player skips a segment that is %d at every quality, and says so',
		async (status) => {
			await using opened = await openWithout('**/h264-*/2.m4s', status, '?t=5')
			const { page, requests } = opened
			await untilVideo(page, `${hasFrame} && video.currentTime > 13`)
			const times = await read<number[]>(page, 'times')
			expect(Math.max(...times.filter((sec) => sec < 10))).toBeGreaterThan(7)
			expect(times.filter((sec) => sec > 8.5 && sec < 11.9)).toEqual([])
			const hits = requests.filter(
				(request) => request.url().endsWith('/2.m4s') && request.url().includes('h264'),
			)
			expect(new Set(hits.map((request) => new URL(request.url()).pathname)).size).toBe(2)
			expect(hits.length).toBeLessThanOrEqual(6)
			expect(await read(page, 'notes')).toContain('A missing part was skipped')
			expect(await page.getByRole('alert').isVisible()).toBe(false)
		},
	)

	test('the player plays silence for missing audio segments, then sound again', async () => {
		await using opened = await openWithout('**/a0/2.m4s', 404, '?t=6')
		const { page } = opened
		await untilVideo(page, `${hasFrame} && video.currentTime > 13.5`)
		const times = await read<number[]>(page, 'times')
		for (const sec of [9, 10, 11])
			expect(
				times.some((time) => Math.floor(time) === sec),
				`${sec} s`,
			).toBe(true)
		expect(await read(page, 'notes')).toContain('The sound of this part is missing')
		expect(await page.getByRole('alert').isVisible()).toBe(false)
	})

	test('the player pauses before a missing last segment, and continues after a seek back', async () => {
		await using opened = await openWithout('**/h264-*/3.m4s', 404, '?t=9')
		const { page } = opened
		await untilVideo(page, 'video.paused && video.currentTime > 11')
		expect(await read(page, 'notes')).toContain('A missing part was skipped')
		await page.keyboard.press('0')
		await page.keyboard.press('k')
		await untilVideo(page, `${hasFrame} && video.currentTime < 8`)
	})

	test('the player requests a missing segment again when the viewer retries', async () => {
		let isMissing = true
		await using opened = await site.open(`/embed/${film.playbackId}`, {
			prepare: (page) =>
				page.route('**/h264-*/*.m4s', (route) =>
					isMissing ? route.fulfill({ status: 404 }) : route.continue(),
				),
		})
		const { page } = opened
		await page.click('.start')
		const alert = page.getByRole('alert')
		await alert.getByText('A part of this video is missing').waitFor()
		isMissing = false
		await alert.getByRole('button', { name: 'Try again' }).click()
		await untilVideo(page, `${hasFrame} && video.currentTime < 8`)
		await alert.waitFor({ state: 'hidden' })
	})
})
