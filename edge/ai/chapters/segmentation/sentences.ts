import type { Transcript } from '#schema/contract/ai/transcripts.ts'
import { endsSentence, splitWords, type Word } from '../../transcripts/words.ts'
import { createStemmer } from './stems.ts'

export type SpokenWord = Word & { start: number; end: number; stem: string | null }
/** The speech between two possible chapter starts. */
export type Sentence = { start: number; end: number; words: SpokenWord[] }

/** Text without punctuation, as from some recognizers, is split at pauses. */
const PAUSE_SEC = 0.7
const MAX_WORDS = 40

/** Splits the transcript into sentences, without probable hallucinations. */
export function splitIntoSentences({
	segments,
	language,
}: Pick<Transcript, 'segments' | 'language'>): Sentence[] {
	const stemOf = createStemmer(language)
	const sentences: Sentence[] = []
	let words: SpokenWord[] = []
	const close = () => {
		const [first, last] = [words[0], words.at(-1)]
		if (first && last) sentences.push({ start: first.start, end: last.end, words })
		words = []
	}
	for (const { text, words: times, suspect } of segments) {
		if (suspect) continue
		const split = splitWords(text)
		for (const [at, { word, start, end }] of times.entries()) {
			const before = words.at(-1)
			if (before && (start - before.end >= PAUSE_SEC || words.length >= MAX_WORDS)) close()
			const separator = split.length === times.length ? (split[at]?.separator ?? ' ') : ' '
			words.push({ word, separator, start, end, stem: stemOf(word) })
			if (endsSentence(word)) close()
		}
	}
	close()
	return sentences
}

export const countWords = (sentences: readonly Sentence[]): number =>
	sentences.reduce((sum, { words }) => sum + words.length, 0)

/** Consecutive sentences compared as a unit: indexes `from` (inclusive) to `to` (exclusive). */
export type Block = { from: number; to: number; stems: Map<string, number> }

const BLOCK_SEC = 30
/** Comparing all pairs takes quadratic time, so long videos have longer blocks. */
export const MAX_BLOCKS = 400
/** A short video has about this many shorter blocks. */
const MIN_BLOCKS = 40

/** Groups sentences into blocks of about 30 seconds of speech. */
export function groupIntoBlocks(sentences: readonly Sentence[]): Block[] {
	const speechSec = sentences.reduce((sum, { start, end }) => sum + end - start, 0)
	const targetSec = Math.max(Math.min(BLOCK_SEC, speechSec / MIN_BLOCKS), speechSec / (MAX_BLOCKS - 1))
	// Words of other programs may have no duration.
	const minSentences = Math.ceil(sentences.length / (MAX_BLOCKS - 1))
	const blocks: Block[] = []
	let spokenSec = Number.POSITIVE_INFINITY
	for (const [at, { start, end, words }] of sentences.entries()) {
		if (spokenSec >= targetSec && at - (blocks.at(-1)?.from ?? -minSentences) >= minSentences) {
			blocks.push({ from: at, to: at, stems: new Map() })
			spokenSec = 0
		}
		const block = blocks.at(-1)
		if (!block) continue
		block.to = at + 1
		for (const { stem } of words) if (stem !== null) block.stems.set(stem, (block.stems.get(stem) ?? 0) + 1)
		spokenSec += end - start
	}
	return blocks
}
