import type { Route } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../support/shared/chromium.ts'
import { needs } from '../../../support/shared/needs.ts'
import { openSettings } from './controls/settings.node.ts'
import { makeFilm } from './player-media.node.ts'
import {
	type Film,
	ffmpeg,
	hasFrame,
	type PlayerSite,
	readVideo,
	sharePlayerSite,
	untilVideo,
} from './player-site.node.ts'

const SEGMENTS = '**/h264-*/*.m4s'
const ENGINE = /\/player\/engine-\w+\.js$/

/** Answers with a segment whose boxes are intact, and the frames in them aren't. */
async function damage(route: Route): Promise<void> {
	const response = await route.fetch()
	const body = await response.body()
	body.fill(0xff, Math.floor(body.length / 4))
	await route.fulfill({ response, body })
}

describe('errors of the player', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Film')
	})

	const openEmbed = (options: Parameters<PlayerSite['open']>[1] = {}) =>
		site.open(`/embed/${film.playbackId}`, options)

	/** Answers the next requests for segments with a fault, until `heal`. */
	const faulty = (answer: (route: Route) => Promise<void>) => {
		let isBroken = true
		let hits = 0
		return {
			handle: (route: Route) => {
				if (!isBroken) return route.continue()
				hits++
				return answer(route)
			},
			hits: () => hits,
			heal: () => {
				isBroken = false
			},
		}
	}

	test.each([
		['answers 500', 'Reconnecting', (route: Route) => route.fulfill({ status: 500 })],
		['drops connections', 'Reconnecting', (route: Route) => route.abort('connectionreset')],
		['answers 404', 'A part of this video is missing', (route: Route) => route.fulfill({ status: 404 })],
		[
			'answers with a page of a proxy',
			'Reconnecting',
			(route: Route) => route.fulfill({ body: '<h1>Log in</h1>' }),
		],
		['answers with nothing', 'Reconnecting', (route: Route) => route.fulfill({ body: '' })],
	] as const)('the player plays on by itself after the server %s for a while', async (_, text, answer) => {
		const fault = faulty(answer)
		await using opened = await openEmbed({ prepare: (page) => page.route(SEGMENTS, fault.handle) })
		const alert = opened.page.getByRole('alert')
		await opened.page.click('.start')
		await alert.getByText(text).waitFor()
		expect(fault.hits()).toBeLessThan(8)
		fault.heal()
		await untilVideo(opened.page, hasFrame)
		await alert.waitFor({ state: 'hidden' })
	})

	test('the player reports an offline viewer, and continues as soon as the connection is back', async () => {
		await using opened = await openEmbed()
		const { page, requests } = opened
		await expect.poll(() => requests.some((request) => ENGINE.test(request.url()))).toBe(true)
		await page.waitForLoadState('networkidle')
		await page.context().setOffline(true)
		await page.click('.start')
		await page.getByRole('alert').getByText('You are offline').waitFor()
		await page.context().setOffline(false)
		await untilVideo(page, hasFrame)
		await page.getByRole('alert').waitFor({ state: 'hidden' })
	})

	test('the player loads its engine once a viewer who was offline from the start has a connection', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}?preload=none`)
		const { page, requests } = opened
		await page.context().setOffline(true)
		await page.click('.start')
		await page.getByRole('alert').getByText('You are offline').waitFor()
		expect(requests.some((request) => ENGINE.test(request.url()))).toBe(true)
		await page.context().setOffline(false)
		await untilVideo(page, hasFrame)
		await page.getByRole('alert').waitFor({ state: 'hidden' })
	})

	test('the player reports a slow connection when a segment takes long, and continues', async () => {
		const waiting: Route[] = []
		const fault = faulty(async (route) => void waiting.push(route))
		await using opened = await openEmbed({ prepare: (page) => page.route(SEGMENTS, fault.handle) })
		const { page } = opened
		await page.click('.start')
		await page.getByRole('alert').getByText('The connection is slow').waitFor()
		fault.heal()
		for (const route of waiting) await route.continue()
		await untilVideo(page, hasFrame)
		await page.getByRole('alert').waitFor({ state: 'hidden' })
	})

	test('the player reports an expired link when segments answer 403, with an id to report', async () => {
		await using opened = await openEmbed({
			prepare: (page) => page.route('**/media/**', (route) => route.fulfill({ status: 403 })),
		})
		const alert = opened.page.getByRole('alert')
		await opened.page.click('.start')
		await alert.getByText('This video needs a valid link').waitFor()
		expect(await alert.getByText(/^Report id [0-9a-f-]{36}$/).count()).toBe(1)
	})

	test.each([
		['where it begins', SEGMENTS],
		// hls.js may take this for a gap in the video, and wait at it for ever.
		['after some seconds', '**/h264-*/3.m4s'],
	])('the player fails if the video is damaged %s, and plays it after another try', async (_, segments) => {
		let isDamaged = true
		await using opened = await site.open(`/embed/${film.playbackId}?t=10`, {
			prepare: (page) => page.route(segments, (route) => (isDamaged ? damage(route) : route.continue())),
		})
		const { page } = opened
		await page.click('.start')
		const alert = page.getByRole('alert')
		await alert.getByText('This video can’t be played here').waitFor()
		isDamaged = false
		await alert.getByRole('button', { name: 'Try again' }).click()
		await untilVideo(page, hasFrame)
		expect(await readVideo<number>(page, 'video.currentTime')).toBeGreaterThanOrEqual(10)
		await alert.waitFor({ state: 'hidden' })
	})

	test('the player fails at once if the browser knows no codec of the video', async () => {
		const master = Buffer.from(site.film.get('master.m3u8') ?? '').toString()
		const unknown = Buffer.from(master.replaceAll(/avc1\.\w+/g, 'zzzz.1'))
		const { playbackId } = await site.publish('Unknown', new Map([...site.film, ['master.m3u8', unknown]]))
		await using opened = await site.open(`/embed/${playbackId}`)
		await opened.page.getByRole('alert').getByText('This video can’t be played here').waitFor()
	})

	test('the player skips a damaged segment if there is no other codec, and little before it', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}?t=4`, {
			prepare: (page) => page.route('**/h264-*/2.m4s', damage),
		})
		const { page, requests } = opened
		await page.evaluate(`{
			const video = document.querySelector('video.video')
			window.times = []
			video.addEventListener('timeupdate', () => video.readyState > 2 && times.push(video.currentTime))
		}`)
		await page.click('.start')
		await untilVideo(page, `${hasFrame} && video.currentTime > 13`)
		const times = await page.evaluate<number[]>('times')
		expect(Math.max(...times.filter((sec) => sec < 10))).toBeGreaterThan(6)
		expect(times.filter((sec) => sec > 8.5 && sec < 11.9)).toEqual([])
		expect(requests.filter((request) => request.url().endsWith('/2.m4s')).length).toBeGreaterThan(2)
		await page.getByRole('alert').waitFor({ state: 'hidden' })
	})

	test('the player continues in an intact part if the viewer seeks after a failure', async () => {
		await using opened = await site.open(`/embed/${film.playbackId}?t=13`, {
			prepare: (page) => page.route('**/h264-*/3.m4s', damage),
		})
		const { page } = opened
		await page.click('.start')
		const alert = page.getByRole('alert')
		await alert.getByText('This video can’t be played here').waitFor()
		await page.keyboard.press('0')
		await untilVideo(page, `${hasFrame} && video.currentTime < 12`)
		await alert.waitFor({ state: 'hidden' })
	})

	test('the player uses another codec if the decoder fails at the first one', async () => {
		const twoCodecs = await site.publish('Two codecs', await makeFilm(ffmpeg ?? '', ['h264', 'av1']))
		await using opened = await site.open(`/embed/${twoCodecs.playbackId}?t=4`, {
			prepare: (page) => page.route(SEGMENTS, damage),
		})
		const { page } = opened
		await page.click('.start')
		await untilVideo(page, hasFrame)
		expect(await readVideo<number>(page, 'video.currentTime')).toBeGreaterThanOrEqual(4)
		await openSettings(page, 'Quality')
		await expect.poll(() => page.getByRole('menuitemradio').first().textContent()).toMatch(/AV1/)
	})

	test('the same page answers 404 for a video that is unknown or being processed', async () => {
		const processing = await site.publish('Later', site.film, { status: 'processing' })
		for (const playbackId of [processing.playbackId, '0'.repeat(22), 'no-id']) {
			const response = await fetch(`${site.url}/embed/${playbackId}`)
			expect(response.status).toBe(404)
			expect(await response.text()).toContain('<h1>This video is not available</h1>')
		}
	})

	test('the page requests an unavailable video a few more times, and then shows the player', async () => {
		const later = await site.publish('Later', site.film, { status: 'processing' })
		await using opened = await site.open(`/embed/${later.playbackId}`, {
			prepare: (page) => page.clock.install(),
		})
		const { page } = opened
		await page.getByText('Trying again in 10 s').waitFor()
		await page.clock.fastForward(10_000)
		await page.getByText('Trying again in 20 s').waitFor()
		const database = await site.worker.miniflare.getD1Database('DB')
		await database.prepare("update assets set status = 'ready' where id = ?").bind(later.id).run()
		await page.clock.fastForward(20_000)
		await page.locator('.start').waitFor()
	})
})
