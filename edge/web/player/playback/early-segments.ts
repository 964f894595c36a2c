import type { PlayableVideo } from '#schema/contract/watch/player-page.ts'
import { removeToken } from './token-path.ts'

/** Equals the engine's timeout, which repeats slower requests. */
const FIRST_BYTE_MS = 6_000
const WHOLE_MS = 30_000

/** A segment requested before the engine was ready. The body is null after a failure. */
export type EarlySegment = {
	requestedAt: number
	answeredAt: number
	receivedAt: number
	body: ArrayBuffer | null
}

/** By absolute URL without a token. */
export type EarlySegments = Map<string, Promise<EarlySegment>>

/** Requests the first segments of the embedded playlists while the engine loads. */
export function requestEarlySegments({ files }: PlayableVideo, sec: number): EarlySegments {
	const segments: EarlySegments = new Map()
	for (const [path, file] of Object.entries(files)) {
		const uri = 'text' in file ? segmentAt(file.text, sec) : undefined
		if (uri === undefined) continue
		const { href } = new URL(uri, new URL(path, location.href))
		segments.set(removeToken(href), request(href))
	}
	return segments
}

/** Returns the URI of the segment of a media playlist that contains a position. */
function segmentAt(playlist: string, sec: number): string | undefined {
	let endSec = 0
	for (const [, duration, uri] of playlist.matchAll(/^#EXTINF:([\d.]+),\n([^#\s]+)$/gm)) {
		endSec += Number(duration)
		if (sec < endSec) return uri
	}
	return undefined
}

async function request(url: string): Promise<EarlySegment> {
	const requestedAt = performance.now()
	let answeredAt = requestedAt
	const aborter = new AbortController()
	const abort = () => aborter.abort()
	window.setTimeout(abort, WHOLE_MS)
	const firstByteTimer = window.setTimeout(abort, FIRST_BYTE_MS)
	const body = await fetch(url, { signal: aborter.signal })
		.then((response) => {
			window.clearTimeout(firstByteTimer)
			answeredAt = performance.now()
			return response.ok ? response.arrayBuffer() : null
		})
		.catch(() => null)
	return { requestedAt, answeredAt, receivedAt: performance.now(), body }
}
