import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import { SECONDS } from '../player-media.node.ts'
import { ffmpeg, hasFrame, untilVideo } from '../player-site.node.ts'
import type { ReportAnswer } from './player-reports.node.ts'
import { openReportServer } from './report-server.node.ts'
import { hide, leave, OFTEN, useReportingPages } from './reporting-pages.node.ts'

describe('how the player reports', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	const { shared, open } = useReportingPages()

	test('reporting begins with the first play, and loads nothing before', async () => {
		await using opened = await open()
		const { page, reports, requests } = opened
		await page.hover('.start')
		await page.waitForLoadState('networkidle')
		const scripts = () => requests.filter((request) => request.url().includes('/report-playback-'))
		expect(scripts()).toEqual([])
		expect(reports).toEqual([])
		await page.click('.start')
		await expect.poll(() => reports.length).toBe(1)
		expect(scripts()).toHaveLength(1)
		expect(reports[0]).toMatchObject({
			kind: 'view_start',
			playbackId: shared.film.playbackId,
			sessionId: expect.stringMatching(/^[\w-]{22}$/),
			player: 'embed',
			state: { seq: 1 },
			contentType: expect.stringMatching(/^text\/plain/),
		})
		expect(reports[0]).not.toHaveProperty('token')
		const { reportId } = await page.evaluate<{ reportId: string }>(
			'JSON.parse(document.querySelector("#player-page").textContent)',
		)
		expect(reports[0]?.reportId).toBe(reportId)
		await untilVideo(page, hasFrame)
		expect(opened.problems).toEqual([])
	})

	test('the player reports at the interval that the server returns, with the token of the session', async () => {
		await using opened = await open(undefined, () => OFTEN)
		const { page, reports } = opened
		await page.click('.start')
		await expect.poll(() => reports.length).toBeGreaterThan(3)
		const [first, ...others] = reports
		for (const report of others)
			expect(report).toMatchObject({
				kind: 'heartbeat',
				sessionId: first?.sessionId,
				reportId: first?.reportId,
				token: `token-of-${first?.sessionId}`,
			})
		expect(reports.map(({ state }) => state?.seq)).toEqual(reports.map((_, at) => at + 1))
		await using seldom = await open()
		await seldom.page.click('.start')
		await untilVideo(seldom.page, 'video.currentTime > 3')
		expect(seldom.reports).toHaveLength(1)
	})

	test('the player reports only the activity and the position of a preview', async () => {
		await using opened = await open(`/embed/${shared.film.playbackId}?preview`)
		const { page, reports } = opened
		await page.click('.start')
		await untilVideo(page, 'video.currentTime > 1')
		await leave(page, false)
		await expect.poll(() => reports.map(({ kind }) => kind)).toEqual(['view_start', 'view_end'])
		for (const report of reports)
			expect(report).toMatchObject({ preview: true, state: { watchedMs: 0, played: [], startupMs: null } })
		expect(opened.state()).toMatchObject({ activity: 'playing', renditionMs: {}, deliveredMs: {} })
		expect(opened.state()?.positionMs).toBeGreaterThan(1_000)
	})

	test('the player sends the last report as a beacon in text/plain when the page is closed', async () => {
		await using opened = await open()
		const { page, reports } = opened
		await page.click('.start')
		await untilVideo(page, 'video.currentTime > 1')
		await leave(page, false)
		await expect.poll(() => reports.length).toBe(2)
		expect(opened.latest()).toMatchObject({
			kind: 'view_end',
			way: 'ping',
			contentType: expect.stringMatching(/^text\/plain/),
			state: { activity: 'playing' },
		})
		expect(opened.state()?.watchedMs).toBeGreaterThan(500)
	})

	test.each<[string, (page: Page) => Promise<unknown>]>([
		['the site removes its frame', (page) => page.evaluate('document.querySelector("iframe").remove()')],
		// A script that leaves its page may end without an answer.
		['the viewer leaves the page', (page) => page.goto('about:blank')],
	])('reporting ends when %s', async (_, leavePage) => {
		const frame = `<iframe src="/embed/${shared.film.playbackId}?muted&autoplay" allow="autoplay"></iframe>`
		await using server = await openReportServer(shared.site.url, frame)
		const context = await shared.site.browser.newContext()
		const page = await context.newPage()
		await page.goto(server.url)
		await expect
			.poll(() => page.frames()[1]?.evaluate<number>('document.querySelector("video").currentTime'))
			.toBeGreaterThan(1)
		await leavePage(page)
		await expect.poll(() => server.received.map(({ event }) => event.kind)).toContain('view_end')
		await context.close()
		expect(server.received.map(({ event }) => event.kind)).toEqual(['view_start', 'view_end'])
		const last = server.received.at(-1)
		expect(last?.contentType).toMatch(/^text\/plain/)
		expect(last?.event.state?.watchedMs).toBeGreaterThan(500)
	})

	test('reporting continues its session if the browser restores the page', async () => {
		await using opened = await open()
		const { page, reports } = opened
		await page.click('.start')
		await untilVideo(page, 'video.currentTime > 1')
		await leave(page, true)
		await expect.poll(() => opened.latest()?.way).toBe('ping')
		await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
		await expect.poll(() => reports.length).toBe(3)
		expect(new Set(reports.map(({ sessionId }) => sessionId)).size).toBe(1)
		expect(reports.map(({ kind }) => kind)).toEqual(['view_start', 'heartbeat', 'heartbeat'])
	})

	test('the player sends a report without a beacon where beacons are blocked', async () => {
		await using opened = await open(undefined, undefined, (page) =>
			page.addInitScript('delete Navigator.prototype.sendBeacon'),
		)
		await opened.page.click('.start')
		await untilVideo(opened.page, hasFrame)
		await hide(opened.page)
		await expect.poll(() => opened.latest()).toMatchObject({ kind: 'heartbeat', way: 'fetch' })
	})

	test('the player sends no reports while the device is offline, and one at once when it is online', async () => {
		let nextBeatMs = 1_000
		await using opened = await open(undefined, () => ({ nextBeatMs }))
		const { page, reports } = opened
		await page.click('.start')
		await untilVideo(page, `video.buffered.length > 0 && video.buffered.end(0) > ${SECONDS - 1}`)
		await expect.poll(() => reports.length).toBeGreaterThan(1)
		await page.context().setOffline(true)
		const before = reports.length
		await untilVideo(page, 'video.currentTime > 6')
		expect(reports.length).toBe(before)
		nextBeatMs = 600_000
		await page.context().setOffline(false)
		await expect.poll(() => reports.length).toBe(before + 1)
		expect(opened.state()?.watchedMs).toBeGreaterThan(4_000)
		await untilVideo(page, 'video.currentTime > 8')
		expect(reports.length).toBe(before + 1)
	})

	test('the player repeats the last report if the server could not take it', async () => {
		let refusals = 0
		await using opened = await open(`/embed/${shared.film.playbackId}?t=${SECONDS - 2}`, ({ kind }) =>
			kind === 'view_end' && refusals++ === 0 ? { status: 503 } : OFTEN,
		)
		const { page, reports } = opened
		await page.click('.start')
		await untilVideo(page, 'video.ended')
		const ends = () => reports.filter(({ kind }) => kind === 'view_end')
		await expect.poll(() => ends().length).toBe(2)
		const [refused, repeated] = ends()
		expect(refused).toMatchObject({ state: { activity: 'ended' } })
		expect(repeated).toEqual(refused)
	})

	test.each<[string, ReportAnswer]>([
		['403', { status: 403 }],
		['410', { status: 410 }],
	])('reporting stops after %s, and the video plays on', async (_, answer) => {
		await using opened = await open(undefined, () => answer)
		await opened.page.click('.start')
		await untilVideo(opened.page, 'video.currentTime > 1')
		await hide(opened.page)
		await leave(opened.page, false)
		await opened.page.keyboard.press('0')
		await untilVideo(opened.page, `${hasFrame} && video.currentTime < 3`)
		expect(opened.reports).toHaveLength(1)
	})

	test('the video plays on if the script of the reports or the server cannot be reached', async () => {
		await using without = await open(undefined, undefined, (page) =>
			page.route('**/player/report-playback-*.js', (route) => route.abort()),
		)
		await without.page.click('.start')
		await untilVideo(without.page, 'video.currentTime > 1')
		expect(without.reports).toEqual([])
		await using failing = await shared.site.open(`/embed/${shared.film.playbackId}`, {
			prepare: (page) => page.route('**/v1/analytics/events', (route) => route.abort()),
		})
		await failing.page.click('.start')
		await untilVideo(failing.page, 'video.currentTime > 1')
		expect(failing.problems.filter((problem) => !problem.includes('net::ERR_FAILED'))).toEqual([])
	})

	test('reporting stores nothing on the device', async () => {
		await using opened = await open(undefined, () => OFTEN)
		const { page } = opened
		await page.click('.start')
		await expect.poll(() => opened.reports.length).toBeGreaterThan(1)
		const { sessionId = '', token = '' } = opened.latest() ?? {}
		const stored = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
		expect(stored).not.toContain(sessionId)
		expect(stored).not.toContain(token)
		expect(await page.evaluate('indexedDB.databases()')).toEqual([])
		expect(await page.context().cookies()).toEqual([])
	})
})
