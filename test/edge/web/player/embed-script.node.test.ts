/** @module-tag chromium */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { provideAssets } from '../../../support/node/built-assets.ts'
import { openBrowser } from '../../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { createReadyVideo, DURATION_SEC } from './ready-video.node.ts'

const MAX_BYTES = 2_048

let worker: RunningWorker
let browser: Browser
let site: Server
let siteUrl: string
let playbackId: string
/** The page that the site serves next. */
let markup = ''
let policy = ''

beforeAll(async () => {
	await provideAssets()
	worker = await startWorker()
	browser = await openBrowser()
	playbackId = (await createReadyVideo(worker)).playbackId
	site = createServer((request, response) => {
		if (request.url !== '/') return void response.writeHead(404).end()
		response.writeHead(200, {
			'content-type': 'text/html; charset=utf-8',
			'content-security-policy': policy,
			'referrer-policy': 'no-referrer',
		})
		response.end(`<!doctype html><html lang="en"><title>Blog</title><h1>Blog</h1>${markup}</html>`)
	}).listen(0, '127.0.0.1')
	await once(site, 'listening')
	// Another host name than the one of the Worker, so another origin and another site.
	siteUrl = `http://localhost:${(site.address() as AddressInfo).port}/`
})
afterAll(async () => {
	await browser?.close()
	site?.close()
	await worker?.dispose()
})
beforeEach(() => {
	policy = `default-src 'none'; script-src ${worker.url}; frame-src ${worker.url}`
})

const script = (attributes = '') => `<script ${attributes} src="${worker.url}/embed.js"></script>`
const player = (attributes = '') =>
	`<playhouse-player playback-id="${playbackId}" ${attributes}></playhouse-player><p>The text below</p>`
/** More than the distance at which frames are loaded. No style may give it a height under the policy. */
const farAway = '<br>'.repeat(300)

/** Counts layout shifts, blocked resources and events from the start of each page. */
const recorder = `
	window.shifts = 0
	window.blocked = []
	window.seen = []
	new PerformanceObserver((list) => {
		for (const { value } of list.getEntries()) window.shifts += value
	}).observe({ type: 'layout-shift', buffered: true })
	document.addEventListener('securitypolicyviolation', (event) => window.blocked.push(event.violatedDirective))
	window.nextEvent = (target, name) =>
		new Promise((resolve) => target.addEventListener(name, (event) => resolve(event.detail), { once: true }))
`

/** Opens a page of the site. `untilPainted` delays the script until the page has been painted without it. */
async function open(
	body: string,
	{ untilPainted = false, prepare }: { untilPainted?: boolean; prepare?: (page: Page) => unknown } = {},
): Promise<Page> {
	markup = body
	const page = await browser.newPage({ viewport: { width: 800, height: 600 } })
	await page.addInitScript(recorder)
	await prepare?.(page)
	if (untilPainted)
		await page.route('**/embed.js', async (route) => {
			await page.evaluate(
				`new Promise((painted) => new PerformanceObserver(painted).observe({ type: 'paint', buffered: true }))`,
			)
			await route.continue()
		})
	await page.goto(siteUrl, { waitUntil: 'domcontentloaded' })
	return page
}

const isReady = (page: Page, selector = 'playhouse-player') =>
	page.evaluate(`document.querySelector('${selector}').getDuration()`)
const isDefined = (page: Page) =>
	page.evaluate(`customElements.whenDefined('playhouse-player').then(() => undefined)`)
const framesOf = (page: Page) =>
	page
		.frames()
		.slice(1)
		.map((frame) => frame.url())
/** Waits for two frames of the browser, so that every layout shift has been reported. */
const shiftsOf = (page: Page) =>
	page.evaluate<number>(
		'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(window.shifts)))))',
	)

test('the embed script is at most 2 KiB when compressed', async () => {
	const source = await (await fetch(`${worker.url}/embed.js`)).text()
	expect(gzipSync(source, { level: 9 }).length).toBeLessThanOrEqual(MAX_BYTES)
})

describe('<playhouse-player>', () => {
	test('<playhouse-player> shows the player under a strict policy, without any layout shift', async () => {
		const page = await open(script() + player())
		expect(await isReady(page)).toBe(DURATION_SEC)
		expect(framesOf(page)).toEqual([`${worker.url}/embed/${playbackId}`])
		const box = await page.evaluate<{ width: number; height: number }>(
			`document.querySelector('playhouse-player').getBoundingClientRect().toJSON()`,
		)
		expect(box.width / box.height).toBeCloseTo(16 / 9, 2)
		const frame = await page.frames()[1]?.evaluate<number[]>('[innerWidth, innerHeight]')
		expect(frame).toEqual([Math.round(box.width), Math.round(box.height)])
		expect(await shiftsOf(page)).toBe(0)
		expect(await page.evaluate('window.blocked')).toEqual([])
		await page.close()
	})

	test('<playhouse-player> causes no layout shift if its script is late but the page reserves its place', async () => {
		policy += "; style-src 'unsafe-inline'"
		const late = script('async') + player('aspect-ratio="4/3"')
		const rule = '<style>playhouse-player { display: block; aspect-ratio: 4 / 3 }</style>'
		const page = await open(rule + late, { untilPainted: true })
		await isDefined(page)
		await isReady(page)
		expect(await shiftsOf(page)).toBe(0)
		// Without the rule, the measurement sees the shift.
		const moving = await open(late, { untilPainted: true })
		await isDefined(moving)
		await isReady(moving)
		expect(await shiftsOf(moving)).toBeGreaterThan(0)
		await page.close()
		await moving.close()
	})

	test('<playhouse-player> works as a module, and takes its shape from aspect-ratio', async () => {
		const page = await open(script('type="module" crossorigin') + player('aspect-ratio="9/16"'))
		await isDefined(page)
		await isReady(page)
		const ratio = `(({ width, height }) => width / height)(document.querySelector('playhouse-player').getBoundingClientRect())`
		expect(await page.evaluate(ratio)).toBeCloseTo(9 / 16, 2)
		await page.close()
	})

	test('<playhouse-player> ignores an aspect ratio that would end its style rule', async () => {
		const page = await open(script() + player('aspect-ratio="1;}*{display:none"'))
		await isReady(page)
		const ratio = `(({ width, height }) => width / height)(document.querySelector('playhouse-player').getBoundingClientRect())`
		expect(await page.evaluate(ratio)).toBeCloseTo(16 / 9, 2)
		await page.close()
	})

	test('<playhouse-player> loads its frame when it comes near the viewport, or is called', async () => {
		const page = await open(
			script() + player('id="first"') + farAway + player('id="second"') + farAway + player('id="third"'),
		)
		await isReady(page, '#first')
		expect(framesOf(page)).toHaveLength(1)
		await Promise.all([
			page.waitForEvent('frameattached'),
			page.evaluate(`document.querySelector('#second').scrollIntoView()`),
		])
		await isReady(page, '#second')
		expect(framesOf(page)).toHaveLength(2)
		expect(await isReady(page, '#third')).toBe(DURATION_SEC)
		expect(framesOf(page)).toHaveLength(3)
		await page.close()
	})

	test('<playhouse-player> passes its attributes to the player, and no others', async () => {
		const known = 'title="A &amp; B" t="3" color="ff0000" muted keys="0" cc="de" preview'
		const page = await open(script() + player(`${known} id="x" class="y" onclick="z()"`))
		await isReady(page)
		const url = new URL(framesOf(page)[0] ?? '')
		expect(Object.fromEntries(url.searchParams)).toEqual({
			...{ title: 'A & B', t: '3', color: 'ff0000', muted: '', keys: '0', cc: 'de', preview: '' },
		})
		const [frame] = page.frames().slice(1)
		expect(await (await frame?.frameElement())?.getAttribute('title')).toBe('A & B')
		await page.close()
	})

	test('<playhouse-player> controls the player and reports its events', async () => {
		const page = await open(script() + player())
		await isReady(page)
		const evaluate = (source: string) =>
			page.evaluate(`(async () => { const film = document.querySelector('playhouse-player'); ${source} })()`)
		expect(
			await evaluate(`const changed = nextEvent(film, 'volumechange'); film.setVolume(40); return changed`),
		).toEqual({ volume: 40, muted: false })
		expect(await evaluate('return film.getVolume()')).toBe(40)
		expect(
			await evaluate(`const moved = nextEvent(film, 'timeupdate'); film.currentTime = 5; return moved`),
		).toEqual({ seconds: 5, duration: DURATION_SEC })
		expect(await evaluate('return [film.currentTime, film.duration, film.paused]')).toEqual([
			5,
			DURATION_SEC,
			true,
		])
		await evaluate(`const played = nextEvent(film, 'play'); film.play(); return played`)
		expect(await evaluate('return film.paused')).toBe(false)
		await page.close()
	})

	test('<playhouse-player> shows the player when a refused frame gets a valid token', async () => {
		const film = await createReadyVideo(worker)
		const token = await film.sign()
		const page = await open(script() + player().replace(playbackId, film.playbackId))
		const refused = page.frames()[1] ?? (await page.waitForEvent('frameattached'))
		await refused.locator('.copy').waitFor({ state: 'visible' })
		await page.evaluate(`(async () => {
			const film = document.querySelector('playhouse-player')
			const ready = nextEvent(film, 'ready')
			film.setAttribute('token', '${token}')
			await ready
		})()`)
		expect(await isReady(page)).toBe(DURATION_SEC)
		expect(framesOf(page)).toEqual([`${worker.url}/embed/${film.playbackId}?token=${token}`])
		await page.close()
	})

	test('<playhouse-player> rejects calls while its frame is refused, and answers them after a valid token', async () => {
		const film = await createReadyVideo(worker)
		const token = await film.sign()
		const page = await open(script() + player('token="a.b.c"').replace(playbackId, film.playbackId))
		const answers = await page.evaluate(`(async () => {
			const film = document.querySelector('playhouse-player')
			film.setVolume(40)
			const get = () => film.getVolume().catch((error) => error)
			const refused = [await get(), await get()]
			film.setAttribute('token', '${token}')
			return [...refused, await get()]
		})()`)
		const error = { code: -1, msg: 'expired' }
		expect(answers).toEqual([error, error, 40])
		await page.close()
	})

	test('<playhouse-player> sends a token again that was set before its frame was ready', async () => {
		const film = await createReadyVideo(worker)
		const token = await film.sign()
		const { promise: isSet, resolve } = Promise.withResolvers<void>()
		const page = await open(script(), {
			prepare: (opened) =>
				opened.route('**/player/embed-*.js', async (route) => {
					await isSet
					await route.continue()
				}),
		})
		await Promise.all([
			page.waitForRequest('**/player/embed-*.js'),
			page.evaluate(`{
				window.errors = 0
				const film = document.createElement('playhouse-player')
				film.setAttribute('playback-id', '${film.playbackId}')
				film.addEventListener('error', () => window.errors++)
				document.body.append(film)
			}`),
		])
		await page.evaluate(`document.querySelector('playhouse-player').setAttribute('token', '${token}')`)
		resolve()
		expect(await isReady(page)).toBe(DURATION_SEC)
		expect(await page.evaluate('window.errors')).toBe(0)
		await page.close()
	})

	test('<playhouse-player> drops the state of the former video when it shows another one', async () => {
		const page = await open(script() + player())
		await isReady(page)
		const state = await page.evaluate(`(async () => {
			const film = document.querySelector('playhouse-player')
			const read = () => [film.currentTime, film.duration, film.paused]
			const played = nextEvent(film, 'play')
			film.currentTime = 5
			film.play()
			await played
			const answer = film.getVolume().catch((error) => error)
			const before = read()
			film.setAttribute('playback-id', '${'x'.repeat(22)}')
			return { before, after: read(), answer: await answer }
		})()`)
		expect(state).toEqual({
			before: [5, DURATION_SEC, false],
			after: [0, Number.NaN, true],
			answer: { code: -1, msg: 'unloaded' },
		})
		await page.close()
	})

	test('<playhouse-player> has every method that the player announces', async () => {
		const page = await open(script())
		const missing = await page.evaluate(`(async () => {
			const film = document.createElement('playhouse-player')
			film.setAttribute('playback-id', '${playbackId}')
			const ready = nextEvent(film, 'ready')
			document.body.append(film)
			const { methods } = await ready
			const own = ['addEventListener', 'removeEventListener', 'setToken']
			return methods.filter((name) => !own.includes(name) && typeof film[name] !== 'function')
		})()`)
		expect(missing).toEqual([])
		await page.close()
	})

	test('<playhouse-player> ignores messages that are not from its own frame', async () => {
		const page = await open(script() + player('id="first"') + player('id="second"'))
		await isReady(page, '#first')
		await isReady(page, '#second')
		const events = await page.evaluate(`(async () => {
			const [first, second] = document.querySelectorAll('playhouse-player')
			const events = []
			for (const name of ['ended', 'volumechange'])
				for (const film of [first, second])
					film.addEventListener(name, () => events.push(film.id + ' ' + name))
			for (const data of ['{"context":"player.js","event":"ended"}', 'null', '{', '[]', 7, null, { event: 'ended' }])
				window.postMessage(data, '*')
			const changed = nextEvent(second, 'volumechange')
			second.setVolume(30)
			await changed
			await first.getVolume()
			return events
		})()`)
		expect(events).toEqual(['second volumechange'])
		await page.close()
	})

	test('<playhouse-player> shows another video after a change of its id, and loads nothing once removed', async () => {
		const page = await open(script() + player())
		await isReady(page)
		const other = 'x'.repeat(22)
		await Promise.all([
			page.waitForEvent('framenavigated', (frame) => frame.url().endsWith(`/embed/${other}`)),
			page.evaluate(`document.querySelector('playhouse-player').setAttribute('playback-id', '${other}')`),
		])
		expect(framesOf(page)).toEqual([`${worker.url}/embed/${other}`])
		await Promise.all([
			page.waitForEvent('framedetached'),
			page.evaluate(`document.querySelector('playhouse-player').remove()`),
		])
		expect(framesOf(page)).toEqual([])
		await page.close()
	})
})
