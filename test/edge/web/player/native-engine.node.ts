import type { Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../../support/shared/chromium.ts'
import { needs } from '../../../support/shared/needs.ts'
import { type CustomerSite, openCustomerSite, pageWith, publishSigned } from './customer-site.node.ts'
import { type Film, ffmpeg, type PlayerSite, sharePlayerSite } from './player-site.node.ts'

/** Chromium also plays HLS itself. */
const WITHOUT_MEDIA_SOURCE = 'delete window.MediaSource; delete window.ManagedMediaSource'

describe('the native player', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let customer: CustomerSite
	let signed: Film
	let tokens: readonly [string, string]

	beforeAll(async () => {
		site = await sharePlayerSite()
		customer = await openCustomerSite(site)
		const published = await publishSigned(site)
		signed = published.signed
		tokens = [await published.newToken(3_600), await published.newToken(7_200)]
	})
	afterAll(() => void customer?.close())

	/** Opens a frame with the first token. `answer` answers requests for the master playlist. */
	async function openFramed(answer = (route: Route) => route.continue()) {
		const requests: string[] = []
		const query = `?muted&token=${tokens[0]}`
		let loaded: Promise<unknown> | undefined
		const opened = await customer.open(
			pageWith(
				`<iframe src="${site.url}/embed/${signed.playbackId}${query}" width="640" height="360" allow="autoplay"></iframe>`,
			),
			{
				script: WITHOUT_MEDIA_SOURCE,
				async prepare(page) {
					loaded = page.waitForEvent('requestfinished', (request) => /native-engine-/.test(request.url()))
					await page.route('**/master.m3u8', async (route) => {
						requests.push(route.request().url())
						await answer(route)
					})
				},
			},
		)
		const { page } = opened
		await page.evaluate('isReady')
		await loaded
		const frame = opened.embedded()
		const read = <T>(expression: string) =>
			frame.evaluate<T>(`(() => { const video = document.querySelector('video'); return ${expression} })()`)
		return {
			opened,
			page,
			frame,
			requests,
			read,
			until: (expression: string) =>
				expect.poll(() => read(`Boolean(${expression})`), { message: expression }).toBe(true),
			renewToken: (token: string) =>
				page.evaluate(`send({ context: 'player.js', method: 'setToken', value: '${token}' })`),
		}
	}

	const notice = `document.querySelector('.notice').dataset.notice`
	const isPlaying = '!video.paused && video.currentTime > 0.1'

	test('the native player loads nothing for a new token before it plays, and does not pause for it', async () => {
		const { opened, frame, requests, read, until, renewToken } = await openFramed()
		await using _ = opened
		await renewToken(tokens[1])
		await opened.page.evaluate('get("Paused")')
		expect(await read('video.getAttribute("src")')).toBeNull()
		expect(requests).toEqual([])
		await frame.click('.start')
		await until(isPlaying)
		const source = await read<string>('video.src')
		expect(source).toContain(tokens[1])
		await renewToken(tokens[0])
		await until('video.currentTime > 1')
		expect(await read('[video.paused, video.src]')).toEqual([false, source])
	})

	test('the native player reports an expired link, and continues with a new token', async () => {
		const { opened, frame, until, renewToken } = await openFramed((route) =>
			route.request().url().includes(tokens[1]) ? route.continue() : route.fulfill({ status: 403 }),
		)
		await using _ = opened
		await frame.click('.start')
		await until(`${notice} === 'expired'`)
		await renewToken(tokens[1])
		await until(isPlaying)
	})

	test('the native player continues as soon as the connection is back', async () => {
		let isOffline = false
		const { opened, page, frame, until } = await openFramed((route) =>
			isOffline ? route.abort() : route.continue(),
		)
		await using _ = opened
		isOffline = true
		await page.context().setOffline(true)
		await frame.click('.start')
		await until(`${notice} === 'offline'`)
		isOffline = false
		await page.context().setOffline(false)
		await until(isPlaying)
	})
})
