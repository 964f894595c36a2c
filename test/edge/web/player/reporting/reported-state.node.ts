import type { Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { getAssetAnalytics } from '../../../../../schema/contract/watch/analytics/asset-analytics.ts'
import { getLiveCount } from '../../../../../schema/contract/watch/analytics/live-viewers.ts'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import { SECONDS } from '../player-media.node.ts'
import { ffmpeg, untilVideo } from '../player-site.node.ts'
import { hide, OFTEN, useReportingPages } from './reporting-pages.node.ts'

/**
 * Adds up how far the position moved by playing, and how long playing waited for data, without the code of the player.
 * The next page of the site finds both in its storage.
 */
const observeViewing = `{
	const video = document.querySelector('video.video')
	window.seen = { playedMs: 0, stalledMs: 0, stalledAt: 0 }
	let sec = video.currentTime
	let hasJumped = false
	const look = () => {
		if (!hasJumped && !video.seeking) seen.playedMs += Math.max(0, video.currentTime - sec) * 1_000
		sec = video.currentTime
		hasJumped = false
	}
	const lookAgain = () => {
		look()
		requestAnimationFrame(lookAgain)
	}
	lookAgain()
	video.addEventListener('seeking', () => (hasJumped = true))
	video.addEventListener('playing', () => {
		if (seen.stalledAt) seen.stalledMs += performance.now() - seen.stalledAt
		seen.stalledAt = 0
	})
	video.addEventListener('waiting', () => {
		if (seen.playedMs > 0 && !video.seeking) seen.stalledAt ||= performance.now()
	})
	addEventListener('pagehide', () => {
		look()
		sessionStorage.setItem('seen', JSON.stringify(seen))
	})
}`

describe('what the player reports', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	const { shared, open } = useReportingPages()

	test('the player reports when playing began, and what was shown and loaded', async () => {
		await using opened = await open(undefined, () => OFTEN)
		await opened.page.click('.start')
		await untilVideo(opened.page, 'video.currentTime > 2')
		await expect.poll(() => opened.state()?.watchedMs).toBeGreaterThan(1_500)
		const state = opened.state()
		expect(state).toMatchObject({ activity: 'playing', seeks: 0, error: null })
		expect(state?.stalls).toBeLessThanOrEqual(await opened.stalls())
		expect(state?.startupMs).toBe(state?.waitedMs)
		expect(state?.startupMs).toBeGreaterThan(0)
		const shownMs = Object.values(state?.renditionMs ?? {}).reduce((sum, ms) => sum + ms, 0)
		expect(shownMs).toBeGreaterThan(1_000)
		expect(state?.bitrateMs).toBeGreaterThan(shownMs)
		const heights = ['240', '360']
		for (const totals of [state?.renditionMs, state?.deliveredMs]) {
			expect(Object.keys(totals ?? {}).length).toBeGreaterThan(0)
			expect(heights).toEqual(expect.arrayContaining(Object.keys(totals ?? {})))
		}
		// The film is at most 640 pixels wide, and the page 800.
		expect(state?.upscaleMax).toBeGreaterThanOrEqual(0.24)
	})

	test('the player reports each part in the order of playing, and a repeated one twice', async () => {
		await using opened = await open()
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, 'video.currentTime > 2')
		// On a busy machine, the video has already played on a little when the browser reports a seek.
		await page.evaluate(`{
			window.soughtTo = []
			const note = ({ target }) => soughtTo.push(Math.round(target.currentTime * 10))
			document.querySelector('video.video').addEventListener('seeking', note)
		}`)
		await page.keyboard.press('5')
		await untilVideo(page, `video.currentTime > ${SECONDS / 2 + 1}`)
		await page.keyboard.press('k')
		await untilVideo(page, 'video.paused')
		await page.keyboard.press('k')
		await untilVideo(page, `video.currentTime > ${SECONDS / 2 + 2}`)
		await page.keyboard.press('0')
		await untilVideo(page, 'video.currentTime > 1 && video.currentTime < 5')
		await hide(page)
		await expect.poll(() => opened.reports.length).toBe(2)
		const state = opened.state()
		const [start0, end0 = 0, start1, end1 = 0, start2, end2 = 0, ...others] = state?.played ?? []
		const soughtTo = await page.evaluate<[number, number]>('soughtTo')
		expect([start0, [start1, start2], others]).toEqual([0, soughtTo, []])
		expect(soughtTo[0]).toBeGreaterThanOrEqual(80)
		expect(soughtTo[0]).toBeLessThan(90)
		expect(soughtTo[1]).toBeLessThan(10)
		expect(end0).toBeGreaterThanOrEqual(20)
		expect(end0).toBeLessThan(80)
		expect(end1).toBeGreaterThanOrEqual(100)
		expect(end2).toBeGreaterThanOrEqual(10)
		const playedMs = (end0 + (end1 - soughtTo[0]) + (end2 - soughtTo[1])) * 100
		expect(state).toMatchObject({ seeks: 2, activity: 'playing' })
		expect(state?.stalls).toBeLessThanOrEqual(await opened.stalls())
		const { watchedMs = 0, stalledMs = 0 } = state ?? {}
		expect(Math.abs(watchedMs - stalledMs - playedMs)).toBeLessThan(1_000)
	})

	test('the player reports each repetition of a looped part, up to its end', async () => {
		await using opened = await open(`/embed/${shared.film.playbackId}?t=3&end=4&loop`)
		const { page } = opened
		await page.evaluate(`{
			window.seeks = 0
			document.querySelector('video.video').addEventListener('seeking', () => seeks++)
		}`)
		await page.click('.start')
		await untilVideo(page, 'seeks > 4')
		await hide(page)
		await expect.poll(() => opened.state()?.seeks).toBeGreaterThanOrEqual(4)
		const played = opened.state()?.played ?? []
		const starts = played.filter((_, at) => at % 2 === 0)
		const ends = played.filter((_, at) => at % 2 === 1).slice(0, -1)
		expect(ends.length).toBeGreaterThanOrEqual(3)
		expect(starts).toEqual(starts.map(() => 30))
		// Where a page was busy for two seconds, the log does not guess what was played.
		expect(ends.filter((end) => end < 39).length).toBeLessThanOrEqual(1)
	})

	test('a pause does not count as a stall if the video plays again before the browser reports it', async () => {
		await using opened = await open()
		const { page } = opened
		await page.click('.start')
		// From here on, nothing is missing, and the browser hardly ever waits.
		await untilVideo(page, `video.buffered.length > 0 && video.buffered.end(0) > ${SECONDS - 1}`)
		const pauses = 5
		for (let i = 0; i < pauses; i++) {
			await page.evaluate(`{
				const video = document.querySelector('video.video')
				window.pausedSec = video.currentTime
				video.pause()
				void video.play()
			}`)
			await untilVideo(page, 'video.currentTime > pausedSec + 0.2')
		}
		await hide(page)
		await expect.poll(() => opened.state()?.activity).toBe('playing')
		const stalls = await opened.stalls()
		expect(opened.state()?.stalls).toBeLessThanOrEqual(stalls)
		// With more stalls of the browser's own, pauses that are counted would not show.
		expect(stalls).toBeLessThan(pauses)
	})

	test('the player reports a stall, and continues the same part of the video', async () => {
		const waiting: Route[] = []
		let isBroken = true
		await using opened = await open(`/embed/${shared.film.playbackId}?t=5`, undefined, (page) =>
			page.route('**/h264-*/2.m4s', (route) => (isBroken ? void waiting.push(route) : route.continue())),
		)
		const { page } = opened
		await page.click('.start')
		await page.getByRole('alert').getByText('The connection is slow').waitFor()
		await hide(page)
		await expect.poll(() => opened.state()?.activity).toBe('stalled')
		isBroken = false
		for (const route of waiting) await route.continue().catch(() => undefined)
		await untilVideo(page, 'video.currentTime > 9')
		await hide(page)
		await expect.poll(() => opened.state()?.activity).toBe('playing')
		const state = opened.state()
		expect(state?.stalls).toBeGreaterThanOrEqual(1)
		expect(state?.stalls).toBeLessThanOrEqual(await opened.stalls())
		expect(state?.stalledMs).toBeGreaterThanOrEqual(3_000)
		expect(state?.watchedMs).toBeGreaterThanOrEqual(3_000 + (state?.stalledMs ?? 0))
		expect(state?.played).toEqual([50, expect.any(Number)])
	})

	test('the first part begins at the position that the viewer chose before anything was loaded', async () => {
		const waiting: Route[] = []
		let isBroken = true
		await using opened = await open(undefined, undefined, (page) =>
			page.route('**/h264-*/*.{m4s,mp4}', (route) =>
				isBroken ? void waiting.push(route) : route.continue(),
			),
		)
		const { page } = opened
		await page.evaluate('window.startedAt = performance.now()')
		await page.click('.start')
		// As long as playing to the new position takes.
		await untilVideo(page, 'performance.now() - startedAt > 5_000')
		await page.keyboard.press('ArrowRight')
		isBroken = false
		for (const route of waiting) await route.continue().catch(() => undefined)
		await untilVideo(page, 'video.currentTime > 7')
		await hide(page)
		await expect.poll(() => opened.state()?.activity).toBe('playing')
		const state = opened.state()
		expect(state?.played).toEqual([50, expect.any(Number)])
		expect(state?.startupMs).toBeGreaterThan(3_000)
		expect(state?.startupMs).toBe(state?.waitedMs)
	})

	test('the startup of a video that starts in the middle is all the time that its viewer waited', async () => {
		await using opened = await open(`/embed/${shared.film.playbackId}?t=6.5`)
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, 'video.currentTime > 7.5')
		await hide(page)
		await expect.poll(() => opened.state()?.activity).toBe('playing')
		const state = opened.state()
		expect(state?.startupMs).toBe(state?.waitedMs)
		expect(state?.played).toEqual([65, expect.any(Number)])
	})

	test('a report ends with the video, and the next play begins another session', async () => {
		await using opened = await open(`/embed/${shared.film.playbackId}?t=${SECONDS - 2}`)
		const { page, reports } = opened
		await page.click('.start')
		await untilVideo(page, 'video.ended')
		await expect.poll(() => reports.map(({ kind }) => kind)).toEqual(['view_start', 'view_end'])
		expect(opened.state()).toMatchObject({ activity: 'ended', played: [140, SECONDS * 10] })
		expect(opened.state()?.stalls).toBeLessThanOrEqual(await opened.stalls())
		await page.getByRole('button', { name: 'Play again' }).click()
		await expect.poll(() => reports.length).toBe(3)
		expect(reports[2]).toMatchObject({ kind: 'view_start', state: { seq: 1, played: [] } })
		expect(reports[2]?.sessionId).not.toBe(reports[0]?.sessionId)
	})

	test('the player reports why the video failed', async () => {
		const master = Buffer.from(shared.site.film.get('master.m3u8') ?? '').toString()
		const unknown = Buffer.from(master.replaceAll(/avc1\.\w+/g, 'zzzz.1'))
		const { playbackId } = await shared.site.publish(
			'Unknown',
			new Map([...shared.site.film, ['master.m3u8', unknown]]),
		)
		await using opened = await open(`/embed/${playbackId}`)
		await opened.page.keyboard.press('k')
		await expect
			.poll(() => opened.latest())
			.toMatchObject({
				kind: 'view_end',
				state: { activity: 'failed', error: 'manifestIncompatibleCodecsError', startupMs: null },
			})
	})

	test('a viewing with a seek, a repetition and a stall is in the analytics within 15 s of its end', async () => {
		const { id, playbackId } = await shared.site.publish('Measured')
		// Chromium without a window says so in its name, which is counted as a program.
		const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'
		const waiting: Route[] = []
		let isBroken = true
		await using opened = await shared.site.open(`/watch/${playbackId}`, {
			userAgent,
			prepare: (page) =>
				page.route('**/h264-*/3.m4s', (route) => (isBroken ? void waiting.push(route) : route.continue())),
		})
		const { page } = opened
		const read = async () =>
			(await shared.site.call(getAssetAnalytics, { params: { assetId: id }, query: {} }, shared.site)).data
		const live = async () =>
			(await shared.site.call(getLiveCount, { params: { assetId: id } }, shared.site)).data.viewers
		await page.evaluate(observeViewing)
		await page.click('.start')
		await expect.poll(live).toBe(1)
		await untilVideo(page, 'video.currentTime > 10')
		await page.keyboard.press('3')
		await untilVideo(page, 'seen.stalledAt > 0 && performance.now() - seen.stalledAt > 3_000')
		isBroken = false
		for (const route of waiting) await route.continue().catch(() => undefined)
		// Requests that timed out are sent again when the browser is online again.
		await page.evaluate(`dispatchEvent(new Event('online'))`)
		await untilVideo(page, 'video.currentTime > 13')
		await page.goto(`${shared.site.url}/embed.js`)
		// The page that is left runs its handlers in a process of its own, maybe after the next page has loaded.
		const hasSeen = () => page.evaluate<boolean>('sessionStorage.getItem("seen") !== null')
		await expect.poll(hasSeen, { timeout: 30_000 }).toBe(true)
		const seen = await page.evaluate<{ playedMs: number; stalledMs: number }>(
			'JSON.parse(sessionStorage.getItem("seen"))',
		)
		await expect.poll(live, { timeout: 15_000 }).toBe(0)
		const { totals, quality, retention, players, devices, browsers } = await read()
		expect(totals).toMatchObject({ attempts: 1, starts: 1, views: 1, engaged: 1, completed: 0, bots: 0 })
		const stalledMs = (quality.stalled ?? 0) * totals.watchedMs
		expect(Math.abs(stalledMs - seen.stalledMs)).toBeLessThan(500)
		// `watchedMs` contains the stalls, whose time would otherwise widen the tolerance and hide what is missing.
		expect(Math.abs(totals.watchedMs - stalledMs - seen.playedMs)).toBeLessThan(0.02 * seen.playedMs)
		expect(Math.abs(totals.playedMs - seen.playedMs)).toBeLessThan(0.02 * seen.playedMs)
		expect(retention?.plays.slice(0, 10).map(Math.ceil)).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 2, 2])
		expect([players[0]?.key, devices[0]?.key, browsers[0]?.key]).toEqual(['watch', 'desktop', 'Chrome'])
		expect(quality.startupMs.p50).toBeGreaterThan(0)
	})
})
