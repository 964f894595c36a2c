import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { type Contestant, playButtons } from './baselines.ts'

export type Profile = { name: string; latencyMs: number; downMbps: number; upMbps: number }

/**
 * `early`: as soon as the play button works. The others when every page has had time to prepare: `touch` by a finger,
 * without hovering, and `hover` by a mouse that has rested on the button.
 */
export type Click = 'early' | 'touch' | 'hover'
export const clicks: readonly Click[] = ['early', 'touch', 'hover']

/** Times are milliseconds since the start of the navigation. */
export type Visit = {
	/** When the server responded. Chromium adds the simulated latency after this. */
	answeredMs: number
	buttonMs: number
	clickMs: number
	frameMs: number
	/** The height of the first frame in pixels. */
	frameHeight: number
	lcpMs: number
	cls: number
	bytesBeforeClick: number
	mediaBytesBeforeClick: number
	/** JavaScript as transferred until the first frame. */
	scriptBytes: number
	requestsBeforeSegment: number
	playlistsBeforeSegment: number
}

const probePage = readFileSync(join(import.meta.dirname, 'page-probe.js'), 'utf8')

const LATE_MS = 2_000
const HOVER_MS = 400
const TIMEOUT_MS = 60_000
const SEGMENT = /\.m4s$/
const MEDIA = /\.(m4s|mp4|m4a)$/
const PLAYLIST = /\.m3u8$/
const BYTES_PER_MEGABIT = 125_000

/** Loads a page in a fresh profile, clicks, and waits for the first frame. */
export async function visit(
	browser: Browser,
	{
		url,
		contestant,
		profile,
		click,
	}: { url: string; contestant: Contestant; profile: Profile; click: Click },
): Promise<Visit> {
	const context = await browser.newContext({
		viewport: { width: 1000, height: 640 },
		...(click === 'touch' && { hasTouch: true, isMobile: true }),
	})
	try {
		const page = await context.newPage()
		const cdp = await context.newCDPSession(page)
		await throttle(cdp, profile)
		const traffic = recordTraffic(cdp)
		const mayClick = signal(page, 'benchClick')
		const hasFrame = signal(page, 'benchFrame')
		const options = { button: playButtons[contestant], lateMs: click === 'early' ? null : LATE_MS }
		await page.addInitScript(`${probePage}\nprobePage(${JSON.stringify(options)})`)
		await Promise.all([mayClick.exposed, hasFrame.exposed])
		await page.goto(url, { waitUntil: 'commit' })
		const { x, y } = (await within(mayClick.received, `${url}: the play button`)) as { x: number; y: number }
		if (click === 'hover') {
			await page.mouse.move(x, y)
			await sleep(HOVER_MS)
		}
		const before = traffic.bytes()
		if (click === 'touch') await page.touchscreen.tap(x, y)
		else await page.mouse.click(x, y)
		const times = (await within(hasFrame.received, `${url}: the first frame`)) as Pick<
			Visit,
			'answeredMs' | 'buttonMs' | 'clickMs' | 'frameMs' | 'frameHeight' | 'lcpMs' | 'cls'
		>
		return {
			...times,
			bytesBeforeClick: before.all,
			mediaBytesBeforeClick: before.media,
			...traffic.requests(),
		}
	} finally {
		await context.close()
	}
}

async function throttle(cdp: CDPSession, { latencyMs, downMbps, upMbps }: Profile): Promise<void> {
	await cdp.send('Network.enable')
	await cdp.send('Network.emulateNetworkConditions', {
		offline: false,
		latency: latencyMs,
		downloadThroughput: downMbps * BYTES_PER_MEGABIT,
		uploadThroughput: upMbps * BYTES_PER_MEGABIT,
	})
}

function recordTraffic(cdp: CDPSession) {
	const paths = new Map<string, string>()
	const bytes = new Map<string, number>()
	cdp.on('Network.requestWillBeSent', ({ requestId, request }) => {
		if (request.url.startsWith('http')) paths.set(requestId, new URL(request.url).pathname)
	})
	cdp.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
		bytes.set(requestId, (bytes.get(requestId) ?? 0) + encodedDataLength)
	})
	const total = (isCounted: (path: string) => boolean) =>
		[...paths].reduce((sum, [id, path]) => sum + (isCounted(path) ? (bytes.get(id) ?? 0) : 0), 0)
	return {
		bytes: () => ({ all: total(() => true), media: total((path) => MEDIA.test(path)) }),
		requests() {
			const all = [...paths.values()]
			const before = all.slice(
				0,
				all.findIndex((path) => SEGMENT.test(path)),
			)
			return {
				scriptBytes: total((path) => path.endsWith('.js')),
				requestsBeforeSegment: before.length,
				playlistsBeforeSegment: before.filter((path) => PLAYLIST.test(path)).length,
			}
		},
	}
}

/** Lets the page report once by calling a function of this name. */
function signal(page: Page, name: string) {
	const { promise: received, resolve } = Promise.withResolvers<unknown>()
	return { received, exposed: page.exposeBinding(name, (_, value) => resolve(value)) }
}

async function within<T>(promise: Promise<T>, what: string): Promise<T> {
	const { promise: late, reject } = Promise.withResolvers<never>()
	const timer = setTimeout(() => reject(new Error(`${what} did not come within a minute`)), TIMEOUT_MS)
	try {
		return await Promise.race([promise, late])
	} finally {
		clearTimeout(timer)
	}
}
