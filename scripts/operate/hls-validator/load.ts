import { open } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Init, readInit } from './init-segment.ts'
import { readMediaSegment } from './media-segment.ts'
import {
	type ByteRange,
	type InitReference,
	type ListedSegment,
	type MediaPlaylist,
	parsePlaylist,
} from './playlist.ts'
import type { Delivery, Fetched, LoadedSegment, Presentation, Stream, Unreachable } from './presentation.ts'

export type Fetch = (
	url: string,
	init: { headers: Record<string, string>; redirect: 'manual'; signal: AbortSignal | null },
) => Promise<Response>

export type LoadOptions = {
	fetch?: Fetch
	/** Receives the numbers of loaded and of all segments. */
	progress?: (done: number, total: number) => void
	signal?: AbortSignal
}

const CONCURRENCY = 6
const MAX_HOPS = 5
/** Limits memory if a response never ends; valid files are far smaller. */
const MAX_BYTES = 512 * 1024 ** 2

type Loaded = { bytes: Uint8Array; delivery: Delivery | null }
type Get = (url: string, range?: ByteRange | null) => Promise<Loaded>

/** Loads all playlists and segments of a presentation. `address` is a URL or a path. */
export async function loadPresentation(address: string, options: LoadOptions = {}): Promise<Presentation> {
	const url = URL.canParse(address) ? new URL(address).href : pathToFileURL(address).href
	const loader = new Loader(options)
	return loader.load(url)
}

class Loader {
	readonly #get: Get
	readonly #options: LoadOptions
	readonly #fetched: Fetched[] = []
	readonly #unreachable: Unreachable[] = []
	readonly #inits = new Map<string, Promise<Init | null>>()
	#done = 0
	#total = 0

	constructor(options: LoadOptions) {
		this.#options = options
		const fetchFile = options.fetch ?? fetch
		this.#get = (url, range) =>
			url.startsWith('file:') ? readPart(url, range) : request(url, range, fetchFile, options.signal)
	}

	async load(url: string): Promise<Presentation> {
		const name = nameOf(url)
		// Throws if the first playlist can't be read; later problems become findings.
		const loaded = await this.#get(url)
		this.#fetched.push({ url, kind: 'playlist', delivery: loaded.delivery })
		const first = parsePlaylist(new TextDecoder().decode(loaded.bytes))
		const streamsToLoad =
			first.kind === 'media'
				? [{ role: 'variant' as const, uri: name, url, playlist: first }]
				: [...rolesOf(first)].map(([uri, role]) => ({ role, uri, url: resolve(uri, url), playlist: null }))
		const lists = await Promise.all(
			streamsToLoad.map(async ({ role, uri, url: at, playlist }) => {
				const loadedPlaylist = playlist ?? (at && (await this.#loadPlaylist(uri, at)))
				return loadedPlaylist && at ? { role, name: uri, url: at, playlist: loadedPlaylist } : null
			}),
		)
		const found = lists.filter((list) => list !== null)
		this.#total = found.reduce((sum, { playlist }) => sum + playlist.segments.length, 0)
		const streams: Stream[] = []
		for (const list of found) streams.push(await this.#loadStream(list))
		return {
			url,
			name,
			master: first.kind === 'master' ? first : null,
			streams,
			fetched: this.#fetched,
			unreachable: this.#unreachable,
		}
	}

	async #loadPlaylist(name: string, url: string): Promise<MediaPlaylist | null> {
		const read = (bytes: Uint8Array) => parsePlaylist(new TextDecoder().decode(bytes))
		const playlist = await this.#try(name, { kind: 'playlist', url, range: null }, read)
		if (!playlist) return null
		if (playlist.kind === 'media') return playlist
		this.#unreachable.push({
			where: name,
			message: 'is a master playlist; a media playlist is required here',
		})
		return null
	}

	async #loadStream(list: Omit<Stream, 'segments' | 'inits'>): Promise<Stream> {
		const segments: LoadedSegment[] = new Array(list.playlist.segments.length)
		const queue = list.playlist.segments.entries()
		const work = async () => {
			for (const [index, listed] of queue) segments[index] = await this.#loadSegment(list, listed)
		}
		await Promise.all(Array.from({ length: CONCURRENCY }, work))
		const inits = [...new Set(segments.map(({ init }) => init))].filter((init) => init !== null)
		return { ...list, segments, inits }
	}

	async #loadSegment({ name, url: base }: { name: string; url: string }, listed: ListedSegment) {
		const where = `${name}:${listed.line}`
		const init = listed.init && (await this.#loadInit(where, listed.init, base))
		const url = resolve(listed.uri, base)
		const range = listed.byteRange
		const read = (bytes: Uint8Array) => readMediaSegment(bytes, init)
		const media = url ? await this.#try(where, { kind: 'segment', url, range }, read) : null
		if (!url) this.#unreachable.push({ where, message: `${listed.uri} is not a valid URI` })
		this.#done++
		this.#options.progress?.(this.#done, this.#total)
		return { listed, url: url ?? '', init, media }
	}

	#loadInit(where: string, { uri, byteRange }: InitReference, base: string): Promise<Init | null> {
		const url = resolve(uri, base)
		const key = `${url} ${byteRange?.offset} ${byteRange?.length}`
		const pending = this.#inits.get(key)
		if (pending) return pending
		const loading = (async () => {
			return url ? await this.#try(where, { kind: 'init', url, range: byteRange }, readInit) : null
		})()
		this.#inits.set(key, loading)
		return loading
	}

	/** Fetches and parses a file; a failure becomes a finding, and the rest is still checked. */
	async #try<T>(
		where: string,
		{ kind, url, range }: FileRequest,
		read: (bytes: Uint8Array) => T,
	): Promise<T | null> {
		try {
			const loaded = await this.#get(url, range)
			this.#fetched.push({ url, kind, delivery: loaded.delivery })
			return read(loaded.bytes)
		} catch (error) {
			this.#options.signal?.throwIfAborted()
			this.#unreachable.push({ where, message: `${url}: ${error instanceof Error ? error.message : error}` })
			return null
		}
	}
}

type FileRequest = { kind: Fetched['kind']; url: string; range: ByteRange | null }

function rolesOf(
	master: Extract<ReturnType<typeof parsePlaylist>, { kind: 'master' }>,
): Map<string, Stream['role']> {
	const roles = new Map<string, Stream['role']>()
	for (const { uri } of master.variants) roles.set(uri, 'variant')
	for (const { uri } of master.iframes) if (!roles.has(uri)) roles.set(uri, 'iframes')
	const kinds = { AUDIO: 'audio', SUBTITLES: 'subtitles', VIDEO: 'video' } as const
	for (const { uri, attributes } of master.renditions) {
		const kind = kinds[attributes.get('TYPE') as keyof typeof kinds]
		if (kind && uri && !roles.has(uri)) roles.set(uri, kind)
	}
	return roles
}

const resolve = (uri: string, base: string): string | null =>
	URL.canParse(uri, base) ? new URL(uri, base).href : null

const nameOf = (url: string): string => new URL(url).pathname.split('/').at(-1) || url

async function readPart(url: string, range: ByteRange | null = null): Promise<Loaded> {
	await using file = await open(fileURLToPath(url))
	const { size } = await file.stat()
	const offset = range?.offset ?? 0
	const bytes = new Uint8Array(Math.max(0, Math.min(range?.length ?? size, size - offset)))
	await file.read(bytes, 0, bytes.length, offset)
	return { bytes: inRange(bytes, range && { offset: 0, length: range.length }), delivery: null }
}

async function request(
	url: string,
	range: ByteRange | null | undefined,
	fetchFile: Fetch,
	signal: AbortSignal | undefined,
): Promise<Loaded> {
	const headers: Record<string, string> = { 'accept-encoding': range ? 'identity' : 'gzip' }
	if (range) headers.range = `bytes=${range.offset}-${range.offset + range.length - 1}`
	let [at, redirectedTo] = [url, null as string | null]
	for (let hops = 0; hops <= MAX_HOPS; hops++) {
		const response = await fetchFile(at, { headers, redirect: 'manual', signal: signal ?? null })
		const location = response.headers.get('location')
		if (response.status >= 300 && response.status < 400 && location) {
			await response.body?.cancel()
			at = new URL(location, at).href
			redirectedTo ??= at
			continue
		}
		if (!response.ok) {
			await response.body?.cancel()
			throw new Error(`the response status is ${response.status}`)
		}
		const bytes = await readBounded(response)
		return {
			// A server without range support sends the whole file.
			bytes: inRange(bytes, range && { ...range, offset: response.status === 206 ? 0 : range.offset }),
			delivery: {
				contentType: response.headers.get('content-type'),
				contentEncoding: response.headers.get('content-encoding'),
				redirectedTo,
			},
		}
	}
	throw new Error(`more than ${MAX_HOPS} redirects`)
}

async function readBounded(response: Response): Promise<Uint8Array> {
	const parts: Uint8Array[] = []
	let size = 0
	for await (const part of response.body ?? []) {
		size += part.length
		if (size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`)
		parts.push(part)
	}
	return Buffer.concat(parts)
}

function inRange(bytes: Uint8Array, range: ByteRange | null | undefined): Uint8Array {
	if (!range) return bytes
	const part = bytes.subarray(range.offset, range.offset + range.length)
	if (part.length < range.length) throw new Error('the byte range exceeds the file')
	return part
}
