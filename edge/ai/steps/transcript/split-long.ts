import { endsSentence } from '../../transcripts/words.ts'
import { type TimedSegment, toTimedSegment } from './timed-segment.ts'

/** A sentence or so, which a person can read and correct. */
const MAX_SEC = 20
const MAX_CHARS = 300
const MAX_WORDS = 80
const PAUSE_SEC = 0.7

/** Splits a segment that is too long for one sentence, at sentence ends and pauses if possible. */
export function splitLongSegment(segment: TimedSegment): TimedSegment[] {
	const { words, suspect } = segment
	const isLong = ({ start, end, text, words }: TimedSegment) =>
		words.length > 1 && (end - start > MAX_SEC || text.length > MAX_CHARS || words.length > MAX_WORDS)
	if (!isLong(segment)) return [segment]
	const at = bestCut(segment)
	return [words.slice(0, at), words.slice(at)].flatMap((part) =>
		splitLongSegment({ ...toTimedSegment(part), ...(suspect && { suspect }) }),
	)
}

/** Returns the number of words before the cut: the best one near the middle. */
function bestCut({ words }: TimedSegment): number {
	const middle = words.length / 2
	let best = { at: Math.ceil(middle), cost: Number.POSITIVE_INFINITY }
	for (let at = 1; at < words.length; at++) {
		const [last, next] = [words[at - 1], words[at]]
		if (!last || !next) continue
		const pause = Math.min(1, Math.max(0, next.start - last.end) / PAUSE_SEC)
		const cost = Math.abs(at - middle) / middle - (endsSentence(last.word) ? 1 : 0) - pause
		if (cost < best.cost) best = { at, cost }
	}
	return best.at
}
