import type { Sentence } from './sentences.ts'

/** Which sentence begins a chapter, and when. */
export type Start = { sentence: number; startSec: number }

const SNAP_SEC = 6
/** A longer pause wins only if it is clearly longer. */
const LONGER = 2
const MIN_PAUSE_SEC = 0.25

/**
 * Finds the first sentence of a chapter. Blocks are coarse, so each sentence near the boundary joins the chapter that
 * shares its words; the best boundary maximizes the sum.
 */
export function refineStart(
	sentences: readonly Sentence[],
	start: number,
	{ from, to, earliest, latest }: { from: number; to: number; earliest: number; latest: number },
): number {
	const [left, right] = [countStems(sentences, from, earliest), countStems(sentences, latest, to)]
	const [leftTotal, rightTotal] = [totalOf(left), totalOf(right)]
	if (leftTotal === 0 || rightTotal === 0) return start
	const leftBias = (sentence: Sentence) =>
		sentence.words.reduce((sum, { stem }) => {
			if (stem === null) return sum
			const [inLeft, inRight] = [left.get(stem) ?? 0, right.get(stem) ?? 0]
			return sum + Math.log((inLeft / leftTotal + SMOOTHING) / (inRight / rightTotal + SMOOTHING))
		}, 0)
	let [sum, bestSum, best] = [0, 0, earliest]
	for (let at = earliest; at < latest; at++) {
		const sentence = sentences[at]
		if (sentence) sum += leftBias(sentence)
		const isNearer = sum === bestSum && Math.abs(at + 1 - start) < Math.abs(best - start)
		if (sum > bestSum || isNearer) [bestSum, best] = [sum, at + 1]
	}
	return best
}

const SMOOTHING = 0.005

function countStems(sentences: readonly Sentence[], from: number, to: number): Map<string, number> {
	const counts = new Map<string, number>()
	for (const { words } of sentences.slice(from, to))
		for (const { stem } of words) if (stem !== null) counts.set(stem, (counts.get(stem) ?? 0) + 1)
	return counts
}

const totalOf = (counts: Map<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0)

/** Returns the pause before a sentence. */
export const measurePauseBefore = (sentences: readonly Sentence[], at: number): number =>
	Math.max(0, (sentences[at]?.start ?? 0) - (sentences[at - 1]?.end ?? 0))

/** Moves a start to the longest nearby pause, and to a shot boundary in that pause. */
export function snapStart(sentences: readonly Sentence[], start: number, shots: readonly number[]): Start {
	const origin = sentences[start]?.start ?? 0
	const isNear = (at: number) =>
		Math.abs((sentences[at]?.start ?? Number.POSITIVE_INFINITY) - origin) <= SNAP_SEC
	const value = (at: number) => {
		const pause = Math.max(MIN_PAUSE_SEC, measurePauseBefore(sentences, at))
		return findShotInPause(sentences, at, shots) === undefined ? pause : pause * LONGER
	}
	let best = start
	const consider = (at: number) => {
		const factor = best === start ? LONGER : 1
		if (value(at) > value(best) * factor) best = at
	}
	for (let at = start - 1; at > 0 && isNear(at); at--) consider(at)
	for (let at = start + 1; at < sentences.length && isNear(at); at++) consider(at)
	return { sentence: best, startSec: findShotInPause(sentences, best, shots) ?? sentences[best]?.start ?? 0 }
}

/** Returns the shot boundary in the pause before a sentence. */
export function findShotInPause(
	sentences: readonly Sentence[],
	at: number,
	shots: readonly number[],
): number | undefined {
	const [from, to] = [sentences[at - 1]?.end ?? 0, sentences[at]?.start ?? 0]
	return shots.find((shot) => from <= shot && shot <= to)
}
