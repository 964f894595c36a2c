import type { Transcript } from '#schema/contract/ai/transcripts.ts'
import { findShotInPause, measurePauseBefore, refineStart, snapStart } from './boundaries.ts'
import { rankSimilarities } from './cohesion.ts'
import { type ChapterStart, describeChapters, hasCueAt } from './described-chapters.ts'
import { chooseChapterLimits, type MadeChapter, MIN_DURATION_SEC, minChapterSec } from './made-chapters.ts'
import { partitionBlocks } from './partition.ts'
import { countWords, groupIntoBlocks, type Sentence, splitIntoSentences } from './sentences.ts'
import { divideByShots } from './shot-parts.ts'

export type SegmentationInput = {
	transcript: Pick<Transcript, 'segments' | 'language'>
	durationSec: number
	/** Shot boundaries in ascending order. */
	shots?: readonly number[]
}

/** Fewer words have no topics. */
export const MIN_WORDS = 60

const CUE_PRIOR = 0.6
const SHOT_PRIOR = 0.1
const PAUSE_PRIOR = 0.25
const COST_OF_BOUNDARY = 1.7

/** Divides a video into chapters by what is said in it, or by its picture if nothing is said. */
export function segmentVideo({ transcript, durationSec, shots = [] }: SegmentationInput): MadeChapter[] {
	if (durationSec < MIN_DURATION_SEC) return []
	const sentences = splitIntoSentences(transcript).filter(({ start }) => start < durationSec)
	return countWords(sentences) < MIN_WORDS
		? divideByShots(shots, durationSec, transcript.language)
		: segmentSpeech(sentences, transcript.language, durationSec, shots)
}

function segmentSpeech(
	sentences: readonly Sentence[],
	language: string | null,
	durationSec: number,
	shots: readonly number[],
): MadeChapter[] {
	const blocks = groupIntoBlocks(sentences)
	const minSec = minChapterSec(durationSec)
	const usualPause = median(sentences.map((_, at) => measurePauseBefore(sentences, at)))
	const priorOf = (at: number) =>
		(hasCueAt(sentences, at, language) ? CUE_PRIOR : 0) +
		(findShotInPause(sentences, at, shots) === undefined ? 0 : SHOT_PRIOR) +
		PAUSE_PRIOR *
			Math.log2(Math.min(4, Math.max(1, (measurePauseBefore(sentences, at) + 0.2) / (usualPause + 0.2))))
	const { starts, gains } = partitionBlocks(rankSimilarities(blocks), {
		times: [0, ...blocks.slice(1).map(({ from }) => sentences[from]?.start ?? 0), durationSec],
		minSec,
		limits: chooseChapterLimits(durationSec),
		priors: blocks.map(({ from }) => priorOf(from)),
		costOfBoundary: COST_OF_BOUNDARY,
	})
	const sentenceOf = (block: number) => blocks[block]?.from ?? sentences.length
	const chapters: ChapterStart[] = [{ sentence: 0, startSec: 0, words: 0 }]
	for (const [at, start] of starts.entries()) {
		if (at === 0) continue
		const refined = refineStart(sentences, sentenceOf(start), {
			from: chapters.at(-1)?.sentence ?? 0,
			to: sentenceOf(starts[at + 1] ?? blocks.length),
			earliest: Math.max((chapters.at(-1)?.sentence ?? 0) + 1, sentenceOf(start - 1)),
			latest: Math.min(sentences.length - 1, sentenceOf(start + 1)),
		})
		const snapped = snapStart(sentences, refined, shots)
		const isLongEnough = (endSec: number, startSec: number) => endSec - startSec >= minSec
		if (
			!isLongEnough(snapped.startSec, chapters.at(-1)?.startSec ?? 0) ||
			!isLongEnough(durationSec, snapped.startSec)
		)
			continue
		chapters.push({ ...snapped, words: gains[at - 1] ?? 0 })
	}
	return describeChapters(sentences, chapters, { language, durationSec, shots })
}

function median(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
