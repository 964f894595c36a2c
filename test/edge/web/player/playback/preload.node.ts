import type { BrowserContextOptions, Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import { chromiumPath } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import type { Presentation } from '../player-media.node.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type PlayerSite,
	readVideo,
	sharePlayerSite,
	untilVideo,
} from '../player-site.node.ts'

/** The maximum of a segment before the click. */
const MAX_UNASKED_BYTES = 130_000

const phone: BrowserContextOptions = { hasTouch: true, isMobile: true }
const REPORTS = /\/v1\/analytics\/events$/
const LOWEST = '/h264-240p/0.m4s'

const isSegment = (request: Request) => request.url().endsWith('.m4s')
const pathsOf = (requests: readonly Request[]) =>
	requests.filter(isSegment).map((request) => /[^/]+\/\d+\.m4s$/.exec(request.url())?.[0])

/** Makes a property of the browser return a value from the beginning. */
const override = (page: Page, object: string, name: string, value: string) =>
	page.addInitScript(
		`window.overridden = ${value}; Object.defineProperty(${object}, '${name}', { get: () => window.overridden })`,
	)

/** Adds an empty box to the end of each segment of the lowest quality. */
function enlarge(film: Presentation, bytes: number): Presentation {
	const box = Buffer.alloc(bytes)
	box.writeUInt32BE(bytes)
	box.write('free', 4)
	return new Map(
		[...film].map(([name, content]) => [
			name,
			name.includes('/h264-240p/') && name.endsWith('.m4s') ? Buffer.concat([content, box]) : content,
		]),
	)
}

describe('segments loaded before the click', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Film')
	})

	test('a phone shows the first frame before the tap, which requests nothing of it again', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`, phone)
		const { page, requests } = opened
		await untilVideo(page, 'video.readyState >= 2')
		const before = requests.filter(isSegment)
		expect(pathsOf(before).toSorted()).toEqual(['a0/0.m4s', 'h264-240p/0.m4s'])
		const sizes = await Promise.all(before.map(async (request) => (await request.sizes()).responseBodySize))
		for (const size of sizes) expect(size).toBeLessThanOrEqual(MAX_UNASKED_BYTES)
		expect(requests.filter((request) => REPORTS.test(request.url()))).toEqual([])
		await page.tap('.start')
		await untilVideo(page, hasFrame)
		const all = pathsOf(requests)
		expect(all.length).toBe(new Set(all).size)
		expect(opened.problems).toEqual([])
	})

	test('a mouse click without hovering plays the lowest quality, and hovering loads a better one', async () => {
		const open = async () => {
			const opened = await site.open(`/embed/${film.playbackId}`)
			await opened.page.waitForLoadState('networkidle')
			expect(pathsOf(opened.requests).toSorted()).toEqual(['a0/0.m4s', 'h264-240p/0.m4s'])
			expect(await readVideo(opened.page, 'video.readyState')).toBe(0)
			return opened
		}
		await using clicked = await open()
		await clicked.page.evaluate(`document.querySelector('.start').click()`)
		await untilVideo(clicked.page, hasFrame)
		expect(pathsOf(clicked.requests).filter((path) => path?.endsWith('/0.m4s')).length).toBe(2)
		await using hovered = await open()
		await hovered.page.hover('.start')
		await untilVideo(hovered.page, 'video.readyState >= 2')
		expect(await readVideo(hovered.page, 'video.videoHeight')).toBe(360)
		expect(pathsOf(hovered.requests).filter((path) => path?.startsWith('a0')).length).toBe(1)
	})

	test.each([
		['Save-Data', { saveData: true, effectiveType: '4g' }],
		['a slow connection', { saveData: false, effectiveType: '3g' }],
	])('the player with %s loads no segment before the click', async (_, connection) => {
		await using opened = await site.open(`/embed/${film.playbackId}`, {
			...phone,
			prepare: (page) => override(page, 'navigator', 'connection', JSON.stringify(connection)),
		})
		await opened.page.waitForLoadState('networkidle')
		expect(pathsOf(opened.requests)).toEqual([])
		await opened.page.tap('.start')
		await untilVideo(opened.page, hasFrame)
	})

	test('the player in a hidden tab loads no segment until the tab is in front', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}`, {
			...phone,
			prepare: (page) => override(page, 'document', 'visibilityState', `'hidden'`),
		})
		const { page, requests } = opened
		await page.waitForLoadState('networkidle')
		expect(pathsOf(requests)).toEqual([])
		await page.evaluate(`overridden = 'visible'; document.dispatchEvent(new Event('visibilitychange'))`)
		await untilVideo(page, 'video.readyState >= 2')
	})

	test('the player of which less than half is visible loads no segment until the page is scrolled', async () => {
		await using opened = await site.open('/host.html', {
			prepare: (page) =>
				page.route('**/host.html', (route) =>
					route.fulfill({
						contentType: 'text/html',
						body: `<!doctype html><link rel="icon" href="data:,"><body style="height:3000px;margin:0"><iframe style="position:absolute;top:360px;width:400px;height:225px" src="/embed/${film.playbackId}"></iframe>`,
					}),
				),
		})
		const { page, requests } = opened
		await page.waitForLoadState('networkidle')
		expect(requests.some((request) => /\/engine-\w+\.js$/.test(request.url()))).toBe(true)
		expect(pathsOf(requests)).toEqual([])
		const requested = page.waitForRequest(isSegment)
		await page.evaluate('scrollTo(0, 200)')
		await requested
	})

	test('the player loads the beginning of a large segment before the tap, and the rest after it', async () => {
		const large = await site.publish('Large film', enlarge(site.film, 200_000))
		await using opened = await site.open(`/embed/${large.playbackId}`, phone)
		const { page, requests } = opened
		await page.waitForLoadState('networkidle')
		const rangesOf = () =>
			requests.filter((request) => request.url().endsWith(LOWEST)).map((request) => request.headers().range)
		expect(rangesOf()).toEqual([`bytes=0-${MAX_UNASKED_BYTES - 1}`])
		expect(await readVideo(page, 'video.readyState')).toBe(0)
		await page.tap('.start')
		await untilVideo(page, hasFrame)
		expect(rangesOf()).toEqual([`bytes=0-${MAX_UNASKED_BYTES - 1}`, `bytes=${MAX_UNASKED_BYTES}-`])
		expect(opened.problems).toEqual([])
	})

	test('a signed video is loaded with its token, and an expired token is reported only after the tap', async () => {
		const signed = await site.publish('Signed film')
		const params = { assetId: signed.id }
		const { call, token } = site
		await call(updateAsset, { params, body: { visibility: 'signed' } }, { token })
		const minted = (await call(createPlaybackToken, { params, body: {} }, { token })).data.token
		await using opened = await site.open(`/embed/${signed.playbackId}?token=${minted}`, phone)
		await untilVideo(opened.page, 'video.readyState >= 2')
		await opened.page.tap('.start')
		await untilVideo(opened.page, hasFrame)
		await using expired = await site.open(`/embed/${signed.playbackId}?token=${minted}`, {
			...phone,
			prepare: (page) => page.route('**/*.m4s', (route) => route.fulfill({ status: 403 })),
		})
		await expired.page.waitForLoadState('networkidle')
		expect(pathsOf(expired.requests).length).toBe(2)
		expect(await expired.page.getByRole('alert').isVisible()).toBe(false)
		await expired.page.tap('.start')
		await expired.page.getByRole('alert').waitFor()
	})
})
