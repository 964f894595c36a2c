/** Scores of a list of boundaries against the true ones, on a grid of seconds. */
export type Scores = { pk: number; windowDiff: number; f1: number }

const TOLERANCE_SEC = 5

export function scoreBoundaries(
	found: readonly number[],
	truth: readonly number[],
	durationSec: number,
): Scores {
	return { ...windowScores(found, truth, durationSec), f1: f1Of(found, truth) }
}

/**
 * Pk (Beeferman 1999): how often two moments at a fixed distance are wrongly said to be in one segment, or not.
 * WindowDiff (Pevzner and Hearst 2002): how often the number of boundaries between them is wrong.
 */
function windowScores(found: readonly number[], truth: readonly number[], durationSec: number) {
	const windowSec = Math.max(1, Math.round(durationSec / (truth.length + 1) / 2))
	const between = (boundaries: readonly number[], from: number) =>
		boundaries.filter((at) => from < at && at <= from + windowSec).length
	let [total, wrongSides, wrongCounts] = [0, 0, 0]
	for (let from = 0; from + windowSec <= durationSec; from++) {
		const [ours, theirs] = [between(found, from), between(truth, from)]
		total++
		if (ours > 0 !== theirs > 0) wrongSides++
		if (ours !== theirs) wrongCounts++
	}
	return { pk: wrongSides / total, windowDiff: wrongCounts / total }
}

/** Each true boundary is found at most once. */
function f1Of(found: readonly number[], truth: readonly number[]): number {
	const open = [...truth]
	let hits = 0
	for (const boundary of found) {
		const at = open.findIndex((time) => Math.abs(time - boundary) <= TOLERANCE_SEC)
		if (at < 0) continue
		open.splice(at, 1)
		hits++
	}
	return found.length + truth.length === 0 ? 1 : (2 * hits) / (found.length + truth.length)
}
