import type { TranscriptWord } from '#schema/contract/ai/transcripts.ts'
import { type TimedSegment, toTimedSegment } from './timed-segment.ts'

/** Words farther from the seam are in only one of the two. */
const NEAR_SEC = 3
const MAX_WORDS = 12

const fold = (word: string): string => word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/**
 * Removes from a chunk what overlaps the one before. Their times differ slightly, so it removes the longest word
 * sequence that ends one and begins the other.
 */
export function removeRepetition(
	before: readonly TimedSegment[],
	after: readonly TimedSegment[],
	seamSec: number,
): TimedSegment[] {
	const near = ({ start, end }: TranscriptWord) => Math.abs((start + end) / 2 - seamSec) <= NEAR_SEC
	// A segment has at least one word.
	const ending = before
		.slice(-MAX_WORDS)
		.flatMap(({ words }) => words)
		.slice(-MAX_WORDS)
		.filter(near)
	const beginning = after
		.slice(0, MAX_WORDS)
		.flatMap(({ words }) => words)
		.slice(0, MAX_WORDS)
		.filter(near)
	let repeated = 0
	for (let length = Math.min(ending.length, beginning.length); length > 0 && repeated === 0; length--) {
		const tail = ending.slice(-length)
		const isSame = tail.every(({ word }, at) => fold(word) === fold(beginning[at]?.word ?? ''))
		if (isSame && tail.some(({ word }) => fold(word) !== '')) repeated = length
	}
	return dropFirst(after, repeated)
}

function dropFirst(segments: readonly TimedSegment[], count: number): TimedSegment[] {
	let left = count
	return segments.flatMap((segment) => {
		const dropped = Math.min(left, segment.words.length)
		left -= dropped
		const words = segment.words.slice(dropped)
		if (words.length === 0) return []
		return dropped === 0 ? [segment] : [toTimedSegment(words)]
	})
}
