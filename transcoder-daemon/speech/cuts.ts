import type { TimeSpan } from './voice-activity.ts'

/** The overlap of two chunks where speech has no pause. */
const OVERLAP_MS = 2_000
/** Engines need some audio around the words. */
const MARGIN_MS = 400

export type Cut = { startMs: number; endMs: number; fromMs: number; toMs: number }

/**
 * Cuts audio into chunks that end in the middle of the longest silence between `minMs` and `maxMs`. Without a
 * silence, a chunk has the maximum length and overlaps the next one. Ranges without speech are omitted.
 */
export function cutSpeech(
	speech: readonly TimeSpan[],
	durationMs: number,
	{ minMs, maxMs }: { minMs: number; maxMs: number },
): Cut[] {
	const cuts: Cut[] = []
	let startMs = 0
	let overlapsBefore = false
	let at = 0
	while (startMs < durationMs) {
		const isLast = durationMs - startMs <= maxMs
		const silence = isLast ? null : longestSilence(speech, at, startMs + minMs, startMs + maxMs)
		const endMs = isLast ? durationMs : Math.round(silence ? (silence[0] + silence[1]) / 2 : startMs + maxMs)
		const overlapsAfter = !isLast && silence === null
		const first = speech.findIndex(([, to], index) => index >= at && to > startMs)
		const inside = first < 0 ? [] : speech.slice(first).filter(([from]) => from < endMs)
		const [begin] = inside
		const end = inside.at(-1)
		if (begin && end)
			cuts.push({
				startMs,
				endMs,
				fromMs: overlapsBefore ? Math.max(0, startMs - OVERLAP_MS) : Math.max(startMs, begin[0] - MARGIN_MS),
				toMs: overlapsAfter
					? Math.min(durationMs, endMs + OVERLAP_MS)
					: Math.min(endMs, Math.max(end[1], startMs) + MARGIN_MS),
			})
		if (first >= 0) at = first
		startMs = endMs
		overlapsBefore = overlapsAfter
	}
	return cuts.map(withinFile)
}

/** Words count only inside the file, so both ranges are clipped together. */
const withinFile = ({ startMs, endMs, fromMs, toMs }: Cut): Cut => ({
	fromMs,
	toMs,
	startMs: Math.max(startMs, fromMs),
	endMs: Math.min(endMs, toMs),
})

/** Returns the longest silence that lies in a window at least in part, clipped to the window. */
function longestSilence(
	speech: readonly TimeSpan[],
	at: number,
	fromMs: number,
	toMs: number,
): TimeSpan | null {
	let best: TimeSpan | null = null
	let before = at > 0 ? (speech[at - 1]?.[1] ?? 0) : 0
	for (let k = at; k <= speech.length; k++) {
		const [next, until] = speech[k] ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
		const silence: TimeSpan = [Math.max(before, fromMs), Math.min(next, toMs)]
		if (silence[1] > silence[0] && (!best || silence[1] - silence[0] > best[1] - best[0])) best = silence
		if (next >= toMs) break
		before = until
	}
	return best
}
