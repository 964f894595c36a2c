import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getAssetAnalytics } from '../../../../../schema/contract/video/analytics/asset-analytics.ts'
import { getLiveCount } from '../../../../../schema/contract/video/analytics/live-viewers.ts'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import { type CustomerSite, openCustomerSite, pageWith, publishSigned } from '../customer-site.node.ts'
import { SECONDS } from '../player-media.node.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type PlayerSite,
	sharePlayerSite,
	untilVideo,
} from '../player-site.node.ts'
import { captureReports, type ReportAnswer } from './player-reports.node.ts'
import { openReportServer } from './report-server.node.ts'

/** The shortest interval. */
const OFTEN: ReportAnswer = { nextBeatMs: 1_000 }

/** Names the controls that the number of viewers covers, or that lie outside of the bar. */
const overlapsOfLiveCount = `(() => {
	const bar = document.querySelector('.controls').getBoundingClientRect()
	const space = document.querySelector('.space').getBoundingClientRect()
	const { top } = document.querySelector('.live').getBoundingClientRect()
	const live = document.querySelector('.live').getBoundingClientRect()
	const isShown = top < space.bottom - 1
	return [...document.querySelectorAll('.controls .row > *:not(.space)')]
		.map((each) => [each.className, each.getBoundingClientRect()])
		.filter(([, box]) => box.width > 0)
		.filter(([, box]) => box.left < bar.left || box.right > bar.right || (isShown && box.left < live.right - 1 && box.right > live.left + 1))
		.map(([name]) => name)
})()`

describe('the reporting of the player', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film
	let customer: CustomerSite

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Film')
		customer = await openCustomerSite(site)
	})
	afterAll(() => void customer?.close())

	/** Opens a page whose reports are captured. */
	async function open(
		path = `/embed/${film.playbackId}`,
		answer: () => ReportAnswer = () => ({}),
		prepare: (page: Page) => Promise<unknown> = async () => undefined,
	) {
		let captured: Awaited<ReturnType<typeof captureReports>> | undefined
		const opened = await site.open(path, {
			async prepare(page) {
				captured = await captureReports(page, answer)
				await prepare(page)
			},
		})
		if (!captured) throw new Error('nothing is captured')
		return Object.assign(opened, captured)
	}
	/** Makes the page report at once, as when the viewer goes to another tab. */
	const hide = (page: Page) =>
		page.evaluate(`{
			Object.defineProperty(document, 'hidden', { value: true, configurable: true })
			document.dispatchEvent(new Event('visibilitychange'))
			delete document.hidden
		}`)
	const leave = (page: Page, persisted: boolean) =>
		page.evaluate(`dispatchEvent(new PageTransitionEvent('pagehide', { persisted: ${persisted} }))`)

	test('begins with the first play, and loads nothing for it before', async () => {
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
			playbackId: film.playbackId,
			sessionId: expect.stringMatching(/^[\w-]{22}$/),
			player: 'embed',
			state: { seq: 1 },
			contentType: expect.stringMatching(/^text\/plain/),
		})
		expect(reports[0]).not.toHaveProperty('token')
		await untilVideo(page, hasFrame)
		expect(opened.problems).toEqual([])
	})

	test('repeats at the interval that the server answers, with the token of the session', async () => {
		await using opened = await open(undefined, () => OFTEN)
		const { page, reports } = opened
		await page.click('.start')
		await expect.poll(() => reports.length).toBeGreaterThan(3)
		const [first, ...others] = reports
		for (const report of others)
			expect(report).toMatchObject({
				kind: 'heartbeat',
				sessionId: first?.sessionId,
				token: `token-of-${first?.sessionId}`,
			})
		expect(reports.map(({ state }) => state?.seq)).toEqual(reports.map((_, at) => at + 1))
		await using seldom = await open()
		await seldom.page.click('.start')
		await untilVideo(seldom.page, 'video.currentTime > 3')
		expect(seldom.reports).toHaveLength(1)
	})

	test('reports when playing began, and what was shown and loaded', async () => {
		await using opened = await open(undefined, () => OFTEN)
		await opened.page.click('.start')
		await untilVideo(opened.page, 'video.currentTime > 2')
		await expect.poll(() => opened.state()?.watchedMs).toBeGreaterThan(1_500)
		const state = opened.state()
		expect(state).toMatchObject({ activity: 'playing', stalls: 0, seeks: 0, error: null })
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

	test('reports each part in the order of playing, and a repeated one twice', async () => {
		await using opened = await open()
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, 'video.currentTime > 2')
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
		expect([start0, start1, start2, others]).toEqual([0, 80, 0, []])
		expect(end0).toBeGreaterThanOrEqual(20)
		expect(end0).toBeLessThan(80)
		expect(end1).toBeGreaterThanOrEqual(100)
		expect(end2).toBeGreaterThanOrEqual(10)
		const playedMs = (end0 + (end1 - 80) + end2) * 100
		expect(state).toMatchObject({ seeks: 2, stalls: 0, activity: 'playing' })
		expect(Math.abs((state?.watchedMs ?? 0) - playedMs)).toBeLessThan(1_000)
	})

	test('does not take a pause for a stall if the video plays again before the browser reports the pause', async () => {
		await using opened = await open()
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, 'video.currentTime > 1')
		await page.evaluate(`{
			const video = document.querySelector('video.video')
			video.pause()
			void video.play()
		}`)
		await untilVideo(page, 'video.currentTime > 2')
		await hide(page)
		await expect.poll(() => opened.state()).toMatchObject({ activity: 'playing', stalls: 0 })
	})

	test('reports a stall, and goes on with the same part of the video', async () => {
		const waiting: Route[] = []
		let isBroken = true
		await using opened = await open(`/embed/${film.playbackId}?t=5`, undefined, (page) =>
			page.route('**/h264-*/2.m4s', (route) => (isBroken ? void waiting.push(route) : route.continue())),
		)
		const { page } = opened
		await page.click('.start')
		await page.getByRole('alert').getByText('The connection is slow').waitFor()
		await hide(page)
		await expect.poll(() => opened.state()).toMatchObject({ activity: 'stalled', stalls: 1 })
		isBroken = false
		for (const route of waiting) await route.continue().catch(() => undefined)
		await untilVideo(page, 'video.currentTime > 9')
		await hide(page)
		await expect.poll(() => opened.state()?.activity).toBe('playing')
		const state = opened.state()
		expect(state?.stalls).toBe(1)
		expect(state?.stalledMs).toBeGreaterThanOrEqual(3_000)
		expect(state?.watchedMs).toBeGreaterThanOrEqual(3_000 + (state?.stalledMs ?? 0))
		expect(state?.played).toEqual([50, expect.any(Number)])
	})

	test('ends with the video, and begins another session with the next play', async () => {
		await using opened = await open(`/embed/${film.playbackId}?t=${SECONDS - 2}`)
		const { page, reports } = opened
		await page.click('.start')
		await untilVideo(page, 'video.ended')
		await expect.poll(() => reports.map(({ kind }) => kind)).toEqual(['view_start', 'view_end'])
		expect(opened.state()).toMatchObject({ activity: 'ended', stalls: 0, played: [140, SECONDS * 10] })
		await page.getByRole('button', { name: 'Play again' }).click()
		await expect.poll(() => reports.length).toBe(3)
		expect(reports[2]).toMatchObject({ kind: 'view_start', state: { seq: 1, played: [] } })
		expect(reports[2]?.sessionId).not.toBe(reports[0]?.sessionId)
	})

	test('reports why the video failed', async () => {
		const master = Buffer.from(site.film.get('master.m3u8') ?? '').toString()
		const unknown = Buffer.from(master.replaceAll(/avc1\.\w+/g, 'zzzz.1'))
		const { playbackId } = await site.publish('Unknown', new Map([...site.film, ['master.m3u8', unknown]]))
		await using opened = await open(`/embed/${playbackId}`)
		await opened.page.keyboard.press('k')
		await expect
			.poll(() => opened.latest())
			.toMatchObject({
				kind: 'view_end',
				state: { activity: 'failed', error: 'manifestIncompatibleCodecsError', startupMs: null },
			})
	})

	test('sends the last report as a beacon in text/plain when the page is closed', async () => {
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
	])('ends when %s', async (_, leavePage) => {
		const frame = `<iframe src="/embed/${film.playbackId}?muted&autoplay" allow="autoplay"></iframe>`
		await using server = await openReportServer(site.url, frame)
		const context = await site.browser.newContext()
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

	test('goes on with its session if the browser brings the page back', async () => {
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

	test('sends a report without a beacon where that is blocked', async () => {
		await using opened = await open(undefined, undefined, (page) =>
			page.addInitScript('delete Navigator.prototype.sendBeacon'),
		)
		await opened.page.click('.start')
		await untilVideo(opened.page, hasFrame)
		await hide(opened.page)
		await expect.poll(() => opened.latest()).toMatchObject({ kind: 'heartbeat', way: 'fetch' })
	})

	test('sends nothing while the device is offline, and reports at once when it is online again', async () => {
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

	test.each([403, 410])('stops after %d, and plays on', async (status) => {
		await using opened = await open(undefined, () => ({ status }))
		await opened.page.click('.start')
		await untilVideo(opened.page, 'video.currentTime > 1')
		await hide(opened.page)
		await leave(opened.page, false)
		await opened.page.keyboard.press('0')
		await untilVideo(opened.page, `${hasFrame} && video.currentTime < 3`)
		expect(opened.reports).toHaveLength(1)
	})

	test('plays on if its script or the server can not be reached', async () => {
		await using without = await open(undefined, undefined, (page) =>
			page.route('**/player/report-playback-*.js', (route) => route.abort()),
		)
		await without.page.click('.start')
		await untilVideo(without.page, 'video.currentTime > 1')
		expect(without.reports).toEqual([])
		await using failing = await site.open(`/embed/${film.playbackId}`, {
			prepare: (page) => page.route('**/v1/analytics/events', (route) => route.abort()),
		})
		await failing.page.click('.start')
		await untilVideo(failing.page, 'video.currentTime > 1')
		expect(failing.problems.filter((problem) => !problem.includes('net::ERR_FAILED'))).toEqual([])
	})

	test('shows how many people watch, and nothing if that is not known', async () => {
		let live: number | null = 1_234
		await using opened = await open(`/watch/${film.playbackId}?lang=de`, () => ({ ...OFTEN, live }))
		const { page } = opened
		await page.setViewportSize({ width: 1_280, height: 900 })
		const shown = page.locator('.live')
		await shown.waitFor({ state: 'attached' })
		expect(await shown.isHidden()).toBe(true)
		await page.click('.start')
		await page.locator('.live-text').getByText('1.234 sehen zu').waitFor()
		expect(opened.latest()?.player).toBe('watch')
		expect(
			await shown.evaluate((each) => each.closest('[aria-live], [role=status], [role=alert]')),
		).toBeNull()
		await page.setViewportSize({ width: 600, height: 900 })
		await page.locator('.live-number').getByText('1.234', { exact: true }).waitFor()
		for (const width of [240, 320, 360, 480, 600, 720, 800])
			for (const dir of ['ltr', 'rtl']) {
				await page.setViewportSize({ width, height: 900 })
				await page.evaluate(`document.documentElement.dir = '${dir}'`)
				expect(await page.evaluate(overlapsOfLiveCount), `${width} ${dir}`).toEqual([])
			}
		live = 1
		await expect.poll(() => shown.isHidden()).toBe(true)
		live = 2
		await expect.poll(() => shown.getAttribute('aria-label')).toBe('2 sehen zu')
		live = null
		await expect.poll(() => shown.isHidden()).toBe(true)
	})

	test.each([
		{ situation: 'in a sandboxed frame', attributes: 'sandbox="allow-scripts"', origin: 'null' },
		{
			situation: 'where storage is forbidden',
			script: `for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
				Object.defineProperty(window, name, {
					get() {
						throw new DOMException('forbidden', 'SecurityError')
					},
				})`,
		},
	])('reports $situation, and passes the number of viewers on to the site', async (each) => {
		const { signed, newToken } = await publishSigned(site)
		const token = await newToken(3_600)
		const { attributes = '', script = '' } = each
		const frame = `<iframe src="${site.url}/embed/${signed.playbackId}?muted&token=${token}" width="640" height="360" allow="autoplay" ${attributes}></iframe>`
		let captured: Awaited<ReturnType<typeof captureReports>> | undefined
		await using opened = await customer.open(pageWith(frame), {
			script,
			prepare: async (page) => {
				captured = await captureReports(page, () => ({ live: 12 }))
			},
		})
		const { page, problems } = opened
		await expect.poll(() => page.evaluate('messages.some(({ event }) => event === "ready")')).toBe(true)
		await page.evaluate(
			'send({ context: "player.js", method: "addEventListener", value: "livecount" }); send({ context: "player.js", method: "play" })',
		)
		await expect
			.poll(() => page.evaluate('messages.find(({ event }) => event === "livecount")'))
			.toMatchObject({ value: { count: 12 } })
		expect(captured?.reports[0]).toMatchObject({
			kind: 'view_start',
			viewerToken: token,
			referrer: new URL(page.url()).origin,
			...(each.origin && { origin: each.origin }),
		})
		expect(problems).toEqual([])
	})

	test('shows in the analytics at once what happened, and the viewer in the live count', async () => {
		const { id, playbackId } = await site.publish('Measured')
		// Chromium without a window says so in its name, which is counted as a program.
		const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'
		const waiting: Route[] = []
		let isBroken = true
		await using opened = await site.open(`/watch/${playbackId}?t=5`, {
			userAgent,
			prepare: (page) =>
				page.route('**/h264-*/2.m4s', (route) => (isBroken ? void waiting.push(route) : route.continue())),
		})
		const { page } = opened
		const read = async () =>
			(await site.call(getAssetAnalytics, { params: { assetId: id }, query: {} }, site)).data
		const live = async () => (await site.call(getLiveCount, { params: { assetId: id } }, site)).data.viewers
		await page.evaluate(`{
			const video = document.querySelector('video.video')
			window.seen = { startedAt: 0, stalledMs: 0, stalledAt: 0 }
			video.addEventListener('playing', () => {
				seen.startedAt ||= performance.now()
				if (seen.stalledAt) seen.stalledMs += performance.now() - seen.stalledAt
				seen.stalledAt = 0
			})
			video.addEventListener('waiting', () => {
				if (seen.startedAt && !video.seeking) seen.stalledAt ||= performance.now()
			})
		}`)
		await page.click('.start')
		await expect.poll(live).toBe(1)
		await page.getByRole('alert').getByText('The connection is slow').waitFor()
		isBroken = false
		for (const route of waiting) await route.continue().catch(() => undefined)
		await untilVideo(page, 'video.currentTime > 9')
		await page.keyboard.press('0')
		await untilVideo(page, 'video.currentTime > 1.5 && video.currentTime < 5')
		const seen = await page.evaluate<{ watchedMs: number; stalledMs: number }>(
			'({ watchedMs: performance.now() - seen.startedAt, stalledMs: seen.stalledMs })',
		)
		await leave(page, false)
		await expect.poll(async () => (await read()).quality.stalled).toBeGreaterThan(0)
		await expect.poll(live).toBe(0)
		const { totals, quality, retention, players, devices, browsers } = await read()
		expect(totals).toMatchObject({ attempts: 1, starts: 1, views: 1, engaged: 0, completed: 0, bots: 0 })
		expect(Math.abs(totals.watchedMs - seen.watchedMs)).toBeLessThan(0.02 * seen.watchedMs + 250)
		expect(Math.abs((quality.stalled ?? 0) * totals.watchedMs - seen.stalledMs)).toBeLessThan(500)
		expect(retention?.plays.slice(0, 9).map(Math.ceil)).toEqual([1, 1, 0, 0, 0, 1, 1, 1, 1])
		expect([players[0]?.key, devices[0]?.key, browsers[0]?.key]).toEqual(['watch', 'desktop', 'Chrome'])
		expect(quality.startupMs.p50).toBeGreaterThan(0)
	})

	test('stores nothing on the device', async () => {
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
