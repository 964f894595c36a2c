import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { updateSettings } from '#schema/contract/watch/settings/settings.ts'
import { chromiumPath } from '../../../support/shared/chromium.ts'
import { needs } from '../../../support/shared/needs.ts'
import { chooseSetting } from './controls/settings.node.ts'
import { type CustomerSite, openCustomerSite, pageWith, publishSigned } from './customer-site.node.ts'
import { withCaptions } from './player-media.node.ts'
import { type Film, ffmpeg, type PlayerSite, sharePlayerSite } from './player-site.node.ts'

describe('the player in a frame of another site', needs({ ffmpeg, Chromium: chromiumPath }), () => {
	let site: PlayerSite
	let film: Film
	let customer: CustomerSite

	beforeAll(async () => {
		site = await sharePlayerSite()
		film = await site.publish('Film')
		customer = await openCustomerSite(site)
	})
	afterAll(() => void customer?.close())

	const frameOf = (query = '', attributes = 'allow="autoplay"', { playbackId }: Film = film) =>
		`<iframe src="${site.url}/embed/${playbackId}${query}" width="640" height="360" ${attributes}></iframe>`

	test('the framed player obeys the reference implementation of player.js, and reports to it', async () => {
		await using opened = await customer.open(pageWith(frameOf('?muted')))
		const { page } = opened
		const run = <T>(code: string) => page.evaluate(code) as Promise<T>
		await run('isReady')
		expect(await run('get("Duration")')).toBeCloseTo(16, 0)
		expect(await run('get("Paused")')).toBe(true)
		expect(await run('get("Muted")')).toBe(true)
		await run('player.setVolume(40)')
		expect(await run('get("Volume")')).toBe(40)
		await run(
			'window.events = []; for (const name of ["play", "pause", "timeupdate", "ended"]) player.on(name, () => events.push(name))',
		)
		await run('player.play()')
		await expect
			.poll(() => run<string[]>('events'), { timeout: 60_000 })
			.toEqual(expect.arrayContaining(['play', 'timeupdate']))
		await run('player.setCurrentTime(10)')
		await expect.poll(() => run<number>('get("CurrentTime")')).toBeGreaterThanOrEqual(10)
		await run('player.pause()')
		await expect.poll(() => run('get("Paused")')).toBe(true)
		// The browser reports the pause after it has begun.
		await expect.poll(() => run<string[]>('events')).toContain('pause')
	})

	test('the framed player accepts objects and JSON, and announces its own methods and events', async () => {
		await using opened = await customer.open(pageWith(frameOf('?muted&preload=auto')))
		const { page } = opened
		const { value } = await page.evaluate<{ value: { methods: string[]; events: string[] } }>(
			'isReady.then(() => messages.find(({ event }) => event === "ready"))',
		)
		expect(value.methods).toEqual(
			expect.arrayContaining(['getQualities', 'setQuality', 'setPlaybackRate', 'setToken']),
		)
		expect(value.events).toEqual(expect.arrayContaining(['qualitychange', 'tokenexpired']))
		const ask = (method: string) =>
			page.evaluate<unknown>(`new Promise((resolve) => {
				addEventListener('message', ({ data }) => { const answer = JSON.parse(data); if (answer.listener === 'mine') resolve(answer.value) })
				send({ context: 'player.js', version: '0.0.11', method: '${method}', listener: 'mine' })
			})`)
		await expect
			.poll(() => ask('getQualities'))
			.toEqual([expect.objectContaining({ label: '360p' }), expect.objectContaining({ label: '240p' })])
		await page.evaluate('send({ context: "player.js", method: "setPlaybackRate", value: 1.5 })')
		expect(await ask('getPlaybackRate')).toBe(1.5)
		await page.evaluate('send({ context: "player.js", method: "setPlaybackRate", value: 99 })')
		expect(await ask('getPlaybackRate')).toBe(1.5)
	})

	test('the framed player lists caption tracks, and reports when another one is shown', async () => {
		const captioned = await site.publish('Film with captions', withCaptions(site.film))
		await using opened = await customer.open(pageWith(frameOf('?muted&preload=auto', '', captioned)))
		const { page } = opened
		await page.evaluate('isReady')
		const answers = () => page.evaluate<{ event: string; value: unknown }[]>('messages')
		await page.evaluate(
			'send({ context: "player.js", method: "addEventListener", value: "texttrackchange" })',
		)
		await expect
			.poll(async () => {
				await page.evaluate('send({ context: "player.js", method: "getTextTracks" })')
				return (await answers()).at(-1)?.value
			})
			.toEqual([expect.objectContaining({ label: 'English' }), expect.objectContaining({ label: 'Deutsch' })])
		await page.evaluate('send({ context: "player.js", method: "setTextTrack", value: 1 })')
		await expect
			.poll(answers)
			.toContainEqual(expect.objectContaining({ event: 'texttrackchange', value: { id: 1 } }))
	})

	test.each(['embed', 'watch'])('a framed %s page explains why there is no player', async (kind) => {
		const missing = { id: '', playbackId: '0'.repeat(22) }
		const frame = frameOf('', '', missing).replace('/embed/', `/${kind}/`)
		await using opened = await customer.open(pageWith(frame))
		const error = { event: 'error', value: { code: -1, msg: 'unavailable' } }
		await expect.poll(() => opened.page.evaluate('messages')).toContainEqual(expect.objectContaining(error))
	})

	test.each(['embed', 'watch'])('a framed %s page without a token takes one from the site', async (kind) => {
		const { signed, newToken } = await publishSigned(site)
		const frame = frameOf('', '', signed).replace('/embed/', `/${kind}/`)
		await using opened = await customer.open(pageWith(frame))
		const { page } = opened
		const error = { event: 'error', value: { code: -1, msg: 'expired' } }
		await expect.poll(() => page.evaluate('messages')).toContainEqual(expect.objectContaining(error))
		const token = await newToken(3_600)
		await page.evaluate(`send({ context: 'player.js', method: 'setToken', value: '${token}' })`)
		await page.evaluate('isReady')
	})

	test('the framed player reports an unknown method as an error, even one that every object has', async () => {
		await using opened = await customer.open(pageWith(frameOf('?muted')))
		const { page } = opened
		await page.evaluate('isReady')
		await page.evaluate(
			'send({ context: "player.js", method: "addEventListener", value: "error", listener: "mine" })',
		)
		for (const method of ['fly', 'constructor', '__proto__', 'hasOwnProperty', 'toString'])
			await page.evaluate(`send({ context: 'player.js', method: '${method}', value: 'x', listener: 'mine' })`)
		expect(await page.evaluate('get("Volume")')).toBe(100)
		const answers = await page.evaluate('messages.filter(({ listener }) => listener === "mine")')
		const error = { event: 'error', value: { code: 2, msg: 'this player has no such method' } }
		expect(answers).toEqual(Array.from({ length: 5 }, () => expect.objectContaining(error)))
		expect(opened.problems).toEqual([])
	})

	test('the framed player ignores messages of windows that do not contain it', async () => {
		await using opened = await customer.open(
			`${pageWith(frameOf('?muted'))}<iframe id="other" srcdoc="<script>parent.frames[0].postMessage(JSON.stringify({ context: 'player.js', method: 'setVolume', value: 7 }), '*')</script>"></iframe>`,
		)
		await opened.page.evaluate('isReady')
		await opened.page.evaluate(
			`new Promise((resolve) => { const frame = document.createElement('iframe'); frame.onload = resolve; frame.srcdoc = document.querySelector('#other').srcdoc; document.body.append(frame) })`,
		)
		expect(await opened.page.evaluate('get("Volume")')).toBe(100)
	})

	test('the framed player plays on with a token that the site sends after the first one expired', async () => {
		const { signed, newToken } = await publishSigned(site)
		await using opened = await customer.open(
			pageWith(frameOf(`?muted&token=${await newToken(3_600)}`, '', signed)),
		)
		const { page } = opened
		await page.evaluate('isReady')
		// Refuses the first token from now on, as if it had expired.
		const renewed = await newToken(7_200)
		await page.route('**/media/**', (route) =>
			route.request().url().includes(renewed)
				? route.continue()
				: route.fulfill({ status: 403, headers: { 'access-control-allow-origin': '*' } }),
		)
		await page.evaluate(
			'window.expired = false; send({ context: "player.js", method: "addEventListener", value: "tokenexpired", listener: "x" }); player.play()',
		)
		await expect
			.poll(() => page.evaluate('messages.some(({ event }) => event === "tokenexpired")'), {
				timeout: 60_000,
			})
			.toBe(true)
		await page.evaluate(`send({ context: 'player.js', method: 'setToken', value: '${renewed}' })`)
		await expect
			.poll(() => page.evaluate<number>('get("CurrentTime")'), { timeout: 60_000 })
			.toBeGreaterThan(0.2)
	})

	test.each([
		{ situation: 'in a sandboxed frame', attributes: 'sandbox="allow-scripts"' },
		{
			situation: 'in an isolated page',
			headers: {
				'cross-origin-embedder-policy': 'require-corp',
				'cross-origin-opener-policy': 'same-origin',
			},
		},
		{
			situation: 'where storage is forbidden',
			script: `for (const name of ['localStorage', 'sessionStorage'])
				Object.defineProperty(window, name, {
					get() {
						throw new DOMException('forbidden', 'SecurityError')
					},
				})`,
		},
	])('the framed player works $situation', async ({ attributes, headers, script = '' }) => {
		await using opened = await customer.open(pageWith(frameOf('?muted', attributes)), { headers, script })
		const { page } = opened
		// The reference implementation doesn't hear frames without an origin.
		await expect.poll(() => page.evaluate('messages.some(({ event }) => event === "ready")')).toBe(true)
		await page.evaluate('send({ context: "player.js", method: "play" })')
		const frame = opened.embedded()
		await expect
			.poll(() => frame.evaluate<number>('document.querySelector("video").currentTime'), {
				timeout: 60_000,
			})
			.toBeGreaterThan(0.2)
		expect(opened.problems).toEqual([])
	})

	test('the framed player keeps the viewer’s choices for the life of the page without storage', async () => {
		const captioned = await site.publish('Film with captions', withCaptions(site.film))
		const frame = frameOf('?cc=en&autoplay&muted', 'allow="autoplay" sandbox="allow-scripts"', captioned)
		await using opened = await customer.open(pageWith(frame))
		const player = opened.page.frameLocator('iframe')
		await expect.poll(() => player.locator('.captions').textContent()).toMatch(/caption/)
		await chooseSetting(player, ['Caption style', 'Color'], 'Cyan')
		await expect.poll(() => player.locator('.captions').getAttribute('class')).toContain('color-cyan')
	})

	test('a framed page reloads a few times for an unavailable video if it may not read the record', async () => {
		const later = await site.publish('Later', site.film, { status: 'processing' })
		await using opened = await customer.open('<title>Customer</title><link rel="icon" href="data:,">')
		const { page } = opened
		await page.clock.install()
		const frame = frameOf('', 'sandbox="allow-scripts"', later)
		await page.evaluate(`document.body.innerHTML = ${JSON.stringify(frame)}`)
		const player = page.frameLocator('iframe')
		for (const sec of [10, 20, 40]) {
			await player.getByText(`in ${sec} s`).waitFor()
			await page.clock.fastForward(sec * 1_000)
		}
		await expect.poll(() => player.locator('.again').textContent()).toBe('')
		await player.getByText('This video is not available').waitFor()
	})

	test('the framed player repeats as the site says, whatever the address says', async () => {
		await using opened = await customer.open(pageWith(frameOf('?muted&loop&t=3&end=4')))
		const { page } = opened
		const run = <T>(code: string) => page.evaluate(code) as Promise<T>
		await run('isReady')
		expect(await run('get("Loop")')).toBe(true)
		await run('player.setLoop(false)')
		expect(await run('get("Loop")')).toBe(false)
		await run('player.play()')
		await expect.poll(() => run<number>('get("CurrentTime")'), { timeout: 60_000 }).toBeGreaterThan(3.9)
		await expect.poll(() => run('get("Paused")')).toBe(true)
		await run('player.setLoop(true)')
		await run(
			'window.backs = 0; let last = 0; player.on("timeupdate", ({ seconds }) => { if (seconds < last) backs++; last = seconds })',
		)
		await run('player.play()')
		await expect.poll(() => run<number>('backs'), { timeout: 60_000 }).toBeGreaterThan(1)
	})

	describe('sites that are not allowed', () => {
		const allow = (allowedEmbedDomains: string[]) =>
			site.call(updateSettings, { body: { allowedEmbedDomains } }, { token: site.token })
		afterEach(() => allow([]))

		test('browsers refuse the frame on sites that the organization did not allow', async () => {
			await allow(['example.org'])
			const other = await site.publish('Elsewhere')
			await using opened = await customer.open(pageWith(frameOf('', '', other)))
			await expect.poll(() => opened.problems.join('\n')).toMatch(/frame-ancestors/)
		})
	})
})
