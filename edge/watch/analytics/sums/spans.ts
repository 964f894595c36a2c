/** A part of a video. */
export type Span = { startMs: number; endMs: number }

/** Players report the times in `played` in tenths of a second. */
export const TICK_MS = 100

/** Returns a duration as a whole number of milliseconds; 0 if it is unknown. */
export const toWholeDurationMs = (durationMs: number): number =>
	Number.isFinite(durationMs) && durationMs > 0 ? Math.floor(durationMs) : 0

/**
 * Returns the parts of a video that were played, in the order of playing. They are cut at the duration, because a
 * player may be a frame over. Nothing is cut if the duration is unknown.
 */
export function toPlayedSpans(played: readonly number[], durationMs: number): Span[] {
	const endOfVideoMs = toWholeDurationMs(durationMs) || Number.POSITIVE_INFINITY
	const spans: Span[] = []
	for (let at = 0; at + 1 < played.length; at += 2) {
		const startMs = (played[at] ?? 0) * TICK_MS
		const endMs = Math.min((played[at + 1] ?? 0) * TICK_MS, endOfVideoMs)
		if (endMs > startMs) spans.push({ startMs, endMs })
	}
	return spans
}

/** Returns the parts that spans cover at least once, in the order of the video. */
export function mergeSpans(spans: readonly Span[]): Span[] {
	const union: Span[] = []
	for (const { startMs, endMs } of spans.toSorted((a, b) => a.startMs - b.startMs)) {
		const last = union.at(-1)
		if (last && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs)
		else union.push({ startMs, endMs })
	}
	return union
}

export const sumSpansMs = (spans: readonly Span[]): number =>
	spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)
