import type { TranscriptWord } from '#schema/contract/ai/transcripts.ts'
import { splitWords } from './words.ts'

type Span = { start: number; end: number }

/** Comparing more pairs would cost more than better times are worth. */
const MAX_PAIRS = 10_000

/**
 * Assigns a time to each word. Known words keep theirs, so an edit moves only its own words. Words in between share
 * the remaining time by length.
 */
export function timeWords(
	text: string,
	{ start, end }: Span,
	known: readonly TranscriptWord[],
): TranscriptWord[] {
	const span = { start: roundMs(start), end: roundMs(end) }
	const words = splitWords(text).map(({ word }) => word)
	const timed = known
		.map(({ word, start, end }) => ({ word, start: roundMs(start), end: roundMs(end) }))
		.filter((word) => span.start <= word.start && word.start <= word.end && word.end <= span.end)
	const kept = matchWords(words, timed)
	const result: TranscriptWord[] = []
	let from = span.start
	let waiting: string[] = []
	const spread = (to: number) => {
		result.push(...spreadWords(waiting, { start: from, end: Math.max(from, to) }))
		waiting = []
	}
	for (const [at, word] of words.entries()) {
		const match = kept.get(at)
		if (match === undefined || match.start < from) {
			waiting.push(word)
			continue
		}
		spread(match.start)
		result.push({ word, start: match.start, end: match.end })
		from = match.end
	}
	spread(span.end)
	return result
}

function spreadWords(words: readonly string[], { start, end }: Span): TranscriptWord[] {
	const lengths = words.map((word) => word.length)
	const total = lengths.reduce((sum, length) => sum + length, 0)
	let before = 0
	return words.map((word, at) => {
		const from = start + ((end - start) * before) / total
		before += lengths[at] ?? 0
		return { word, start: roundMs(from), end: roundMs(start + ((end - start) * before) / total) }
	})
}

/** Matches words to known words: a longest common subsequence, by index. */
function matchWords(words: readonly string[], known: readonly TranscriptWord[]): Map<number, TranscriptWord> {
	const [a, b] = [words.map(fold), known.map(({ word }) => fold(word))]
	const matches = new Map<number, TranscriptWord>()
	const match = (at: number, knownAt: number) => {
		const found = known[knownAt]
		if (found) matches.set(at, found)
	}
	let first = 0
	while (first < a.length && first < b.length && a[first] === b[first]) {
		match(first, first)
		first++
	}
	let [lastA, lastB] = [a.length, b.length]
	while (lastA > first && lastB > first && a[lastA - 1] === b[lastB - 1]) match(--lastA, --lastB)
	const [rows, columns] = [lastA - first, lastB - first]
	if (rows * columns === 0 || rows * columns > MAX_PAIRS) return matches
	// lengths[i * width + j] is the length of the longest common subsequence of a[first + i …] and b[first + j …].
	const width = columns + 1
	const lengths = new Uint16Array((rows + 1) * width)
	const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0
	for (let i = rows - 1; i >= 0; i--)
		for (let j = columns - 1; j >= 0; j--)
			lengths[i * width + j] =
				a[first + i] === b[first + j]
					? lengthAt(i + 1, j + 1) + 1
					: Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1))
	for (let i = 0, j = 0; i < rows && j < columns; )
		if (a[first + i] === b[first + j]) match(first + i++, first + j++)
		else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i++
		else j++
	return matches
}

/** Ignores case and punctuation, which people correct most. */
const fold = (word: string): string => {
	const letters = word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
	return letters === '' ? word : letters
}

export const roundMs = (sec: number): number => Math.round(sec * 1_000) / 1_000
