import type { PlayableVideo } from '#schema/contract/watch/player-page.ts'
import { removeToken } from '../token-path.ts'

/** Equals the engine's timeout, which repeats slower requests. */
const FIRST_BYTE_MS = 6_000
const WHOLE_MS = 30_000

/** A segment, or its beginning, requested before the engine needs it. The body is null after a failure. */
export type EarlySegment = {
	requestedAt: number
	answeredAt: number
	receivedAt: number
	body: ArrayBuffer | null
	/** The header of the response. */
	contentRange: string | null
}

/** By absolute URL without a token. */
export type EarlySegments = Map<string, Promise<EarlySegment>>

/**
 * Requests the segments at a position, of the quality of a playlist and of the audio, unless they were requested before.
 */
export function requestEarlySegments(
	early: EarlySegments,
	{ files, firstPlaylist, lowestPlaylist }: PlayableVideo,
	playlist: string | null,
	sec: number,
	range?: string,
): Promise<EarlySegment[]> {
	const segments = Object.entries(files).flatMap(([path, file]) => {
		const isOther = path !== playlist && [firstPlaylist, lowestPlaylist].includes(path)
		const uri = 'text' in file && !isOther ? segmentAt(file.text, sec) : undefined
		if (uri === undefined) return []
		const { href } = new URL(uri, new URL(path, location.href))
		const key = removeToken(href)
		const segment = early.get(key) ?? request(href, range)
		early.set(key, segment)
		return [segment]
	})
	return Promise.all(segments)
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

/** Requests a segment, or a range of its bytes. */
export async function request(url: string, range = ''): Promise<EarlySegment> {
	const requestedAt = performance.now()
	let answeredAt = requestedAt
	let contentRange: string | null = null
	const aborter = new AbortController()
	const abort = () => aborter.abort()
	window.setTimeout(abort, WHOLE_MS)
	const firstByteTimer = window.setTimeout(abort, FIRST_BYTE_MS)
	const body = await fetch(url, { signal: aborter.signal, headers: range ? { range } : {} })
		.then((response) => {
			window.clearTimeout(firstByteTimer)
			answeredAt = performance.now()
			contentRange = response.headers.get('content-range')
			return response.ok ? response.arrayBuffer() : null
		})
		.catch(() => null)
	return { requestedAt, answeredAt, receivedAt: performance.now(), body, contentRange }
}
