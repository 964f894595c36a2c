import type { PlayableVideo } from '#schema/contract/watch/player-page.ts'
import { type EarlySegment, type EarlySegments, request, requestEarlySegments } from './early-segments.ts'

/** The maximum size of a segment that is loaded before the viewer shows any interest. */
const MAX_BYTES = 130_000
/** The share of the player that must be visible. */
const VISIBLE_SHARE = 0.5

/** Missing in browsers without the Network Information API. */
type Connection = { effectiveType?: string }

/** Safari and Firefox don't know the connection. Most of theirs are fast. */
const isFast = (): boolean =>
	((navigator as Navigator & { connection?: Connection }).connection?.effectiveType ?? '4g') === '4g'

/**
 * Requests the first segment of the lowest quality and of the audio, at most MAX_BYTES of each. Returns whether both are
 * complete.
 */
export async function requestLowest(
	early: EarlySegments,
	video: PlayableVideo,
	sec: number,
): Promise<boolean> {
	const range = `bytes=0-${MAX_BYTES - 1}`
	const segments = await requestEarlySegments(early, video, video.lowestPlaylist, sec, range)
	return segments.every((segment) => segment.body !== null && countMissingBytes(segment) === 0)
}

/** Returns how many bytes of a segment follow those that were requested. */
function countMissingBytes({ contentRange }: EarlySegment): number {
	const [, last, size] = /-(\d+)\/(\d+)$/.exec(contentRange ?? '') ?? []
	return size === undefined ? 0 : Number(size) - Number(last) - 1
}

/** Requests the rest of a segment of which only the beginning was requested. */
export async function completeSegment(url: string, start: EarlySegment): Promise<EarlySegment> {
	const missingBytes = countMissingBytes(start)
	if (start.body === null || missingBytes === 0) return start
	const rest = await request(url, `bytes=${start.body.byteLength}-`)
	if (rest.body?.byteLength !== missingBytes) return { ...rest, body: null }
	return {
		...rest,
		// The time between the two requests says nothing about the bandwidth.
		requestedAt: rest.requestedAt - (start.receivedAt - start.requestedAt),
		body: await new Blob([start.body, rest.body]).arrayBuffer(),
	}
}

/** Calls back once, when the element is visible enough in the front tab and the connection is fast. */
export function whenVisible(element: Element, callback: () => void): void {
	let isInView = false
	const check = () => {
		if (!isInView || document.visibilityState !== 'visible' || !isFast()) return
		observer.disconnect()
		document.removeEventListener('visibilitychange', check)
		callback()
	}
	const observer = new IntersectionObserver(
		(entries) => {
			isInView = (entries.at(-1)?.intersectionRatio ?? 0) >= VISIBLE_SHARE
			check()
		},
		{ threshold: VISIBLE_SHARE },
	)
	observer.observe(element)
	document.addEventListener('visibilitychange', check)
}
