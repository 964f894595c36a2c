import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core'
import { expect } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { findPrograms } from '../../../../transcoder-daemon/ffmpeg/binary.ts'
import { provideAssets } from '../../../support/node/built-assets.ts'
import { openBrowser } from '../../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { makeFilm, type Presentation, SECONDS } from './player-media.node.ts'

export const ffmpeg = (await findPrograms(process.env).catch(() => undefined))?.ffmpeg

export type Film = { id: string; playbackId: string }

/** A Worker with the player, and a browser to look at it with. */
export async function openPlayerSite() {
	await provideAssets()
	await using started = new AsyncDisposableStack()
	const worker = started.use(await startWorker())
	const browser = started.adopt(
		await openBrowser('--autoplay-policy=document-user-activation-required'),
		(opened) => opened.close(),
	)
	const { call } = createClient({ baseUrl: worker.url, fetch })
	const person = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
	const { token } = (await call(signup, { body: person })).data
	const film = await makeFilm(ffmpeg as string)
	const resources = started.move()
	return {
		worker,
		browser,
		url: worker.url,
		call,
		token,
		film,
		/** Publishes a presentation under the storage layout of the product. */
		async publish(title: string, files: Presentation = film, columns: Columns = {}): Promise<Film> {
			const asset = (await call(createAsset, { body: { title } }, { token })).data
			await storeFilm(worker, asset, files, columns)
			return asset
		},
		/** Replaces a file of a published presentation. */
		async store({ playbackId }: Film, name: string, bytes: Uint8Array): Promise<void> {
			await (await worker.miniflare.getR2Bucket('MEDIA')).put(`media/${playbackId}/job/${name}`, bytes)
		},
		open: (path: string, options: PageOptions = {}) => openPage(browser, worker.url + path, options),
		[Symbol.asyncDispose]: () => resources.disposeAsync(),
	}
}

export type PlayerSite = Awaited<ReturnType<typeof openPlayerSite>>

let shared: Promise<PlayerSite> | undefined

/** Returns the site of all suites in a file. */
export function sharePlayerSite(): Promise<PlayerSite> {
	shared ??= openPlayerSite()
	return shared
}

export async function closePlayerSite(): Promise<void> {
	const opening = shared
	// After a failure, the next file tries again.
	shared = undefined
	await (await opening)?.[Symbol.asyncDispose]()
}

/** Values for columns of the asset, by their names in the database. */
type Columns = Record<string, string | number | null>

async function storeFilm(
	worker: RunningWorker,
	{ id, playbackId }: Film,
	files: Presentation,
	columns: Columns,
): Promise<void> {
	const bucket = await worker.miniflare.getR2Bucket('MEDIA')
	const folder = `media/${playbackId}/job`
	for (const [name, bytes] of files) await bucket.put(`${folder}/${name}`, bytes)
	const poster = [...files.keys()].find((name) => name.endsWith('/poster.jpg'))
	const values: Columns = {
		status: 'ready',
		manifest_key: `${folder}/master.m3u8`,
		storyboard_key: `${folder}/storyboard.vtt`,
		frame_key: `${folder}/${poster}`,
		duration_sec: SECONDS,
		width: 640,
		height: 360,
		...columns,
	}
	const database = await worker.miniflare.getD1Database('DB')
	const assignments = Object.keys(values).map((name) => `${name} = ?`)
	await database
		.prepare(`update assets set ${assignments.join(', ')} where id = ?`)
		.bind(...Object.values(values), id)
		.run()
}

type PageOptions = BrowserContextOptions & {
	/** Before the page loads, such as faults of the network. */
	prepare?: (page: Page) => Promise<unknown>
}

export type OpenPage = {
	page: Page
	requests: Request[]
	/** Violations of the policy, errors on the console, and exceptions. */
	problems: string[]
	[Symbol.asyncDispose](): Promise<void>
}

/** Opens a page in a fresh profile. Whatever the page does wrong is in `problems`. */
async function openPage(
	browser: Browser,
	url: string,
	{ prepare, ...options }: PageOptions,
): Promise<OpenPage> {
	const context = await browser.newContext({ viewport: { width: 800, height: 450 }, ...options })
	const page = await context.newPage()
	const requests: Request[] = []
	const problems: string[] = []
	page.on('request', (request) => void requests.push(request))
	page.on('console', (line) => void (line.type() === 'error' && problems.push(line.text())))
	page.on('pageerror', (error) => void problems.push(String(error)))
	await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
		console.error('policy violated:', event.violatedDirective, event.blockedURI))`)
	await prepare?.(page)
	await page.goto(url)
	const dispose = async () => {
		// Handlers of routes may still wait for a response.
		await page.unrouteAll({ behavior: 'ignoreErrors' })
		await context.close()
	}
	return { page, requests, problems, [Symbol.asyncDispose]: dispose }
}

/** Reads a property of the video element, or an expression in which `video` is that element. */
export const readVideo = <T>(page: Page, expression: string): Promise<T> =>
	page.evaluate(
		`(() => { const video = document.querySelector('video.video'); return ${expression} })()`,
	) as Promise<T>

/** Waits until an expression, in which `video` is the video element, is true. */
export const untilVideo = (page: Page, expression: string): Promise<void> =>
	expect
		.poll(() => readVideo(page, `Boolean(${expression})`), { timeout: 60_000, message: expression })
		.toBe(true)

export const hasFrame = 'video.readyState >= 2 && video.currentTime > 0.1 && !video.paused'
