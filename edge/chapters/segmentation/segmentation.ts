import type { Transcript } from '#schema/contract/video/transcripts.ts'
import { roundMs } from '../../transcripts/word-times.ts'
import { pauseBefore, refineStart, shotIn, snapStart } from './boundaries.ts'
import { rankedSimilarities } from './cohesion.ts'
import { hasCue } from './cues.ts'
import { chapterLimits, type MadeChapter, MIN_DURATION_SEC, minChapterSec } from './made-chapters.ts'
import { partition } from './partition.ts'
import { blocksOf, type Sentence, sentencesOf } from './sentences.ts'
import { partsByShots } from './shot-parts.ts'
import { titlesOf } from './titles.ts'

export type SegmentationInput = {
	transcript: Pick<Transcript, 'segments' | 'language'>
	durationSec: number
	/** When the picture changes, in ascending order. */
	shots?: readonly number[]
}

/** Fewer words are no speech that has topics. */
const MIN_WORDS = 60

const CUE_PRIOR = 0.6
const SHOT_PRIOR = 0.1
const PAUSE_PRIOR = 0.25
const COST_OF_BOUNDARY = 1.7

/** Divides a video into chapters by what is said in it, or by its picture if nothing is said. */
export function segmentVideo({ transcript, durationSec, shots = [] }: SegmentationInput): MadeChapter[] {
	if (durationSec < MIN_DURATION_SEC) return []
	const sentences = sentencesOf(transcript).filter(({ start }) => start < durationSec)
	const wordCount = sentences.reduce((sum, { words }) => sum + words.length, 0)
	return wordCount < MIN_WORDS
		? partsByShots(shots, durationSec, transcript.language)
		: segmentSpeech(sentences, transcript.language, durationSec, shots)
}

function segmentSpeech(
	sentences: readonly Sentence[],
	language: string | null,
	durationSec: number,
	shots: readonly number[],
): MadeChapter[] {
	const blocks = blocksOf(sentences)
	const minSec = minChapterSec(durationSec)
	const usualPause = median(sentences.map((_, at) => pauseBefore(sentences, at)))
	const priorOf = (at: number) =>
		(hasCueAt(sentences, at, language) ? CUE_PRIOR : 0) +
		(shotIn(sentences, at, shots) === undefined ? 0 : SHOT_PRIOR) +
		PAUSE_PRIOR * Math.log2(Math.min(4, Math.max(1, (pauseBefore(sentences, at) + 0.2) / (usualPause + 0.2))))
	const { starts, gains } = partition(rankedSimilarities(blocks), {
		times: [0, ...blocks.slice(1).map(({ from }) => sentences[from]?.start ?? 0), durationSec],
		minSec,
		limits: chapterLimits(durationSec),
		priors: blocks.map(({ from }) => priorOf(from)),
		costOfBoundary: COST_OF_BOUNDARY,
	})
	const sentenceOf = (block: number) => blocks[block]?.from ?? sentences.length
	const chapters: { sentence: number; startSec: number; words: number }[] = [
		{ sentence: 0, startSec: 0, words: 0 },
	]
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
	if (chapters.length < 2) return []
	const titles = titlesOf(
		chapters.map(({ sentence }, at) =>
			sentences.slice(sentence, chapters[at + 1]?.sentence ?? sentences.length),
		),
	)
	return chapters.map(({ sentence, startSec, words }, at) => ({
		title: titles[at] ?? '',
		startTime: roundMs(startSec),
		endTime: roundMs(chapters[at + 1]?.startSec ?? durationSec),
		reasons: {
			words: Math.round(words * 100) / 100,
			pauseSec: sentence === 0 ? 0 : roundMs(pauseBefore(sentences, sentence)),
			isAnnounced: sentence > 0 && hasCueAt(sentences, sentence, language),
			isShotCut: sentence > 0 && shotIn(sentences, sentence, shots) !== undefined,
		},
	}))
}

const hasCueAt = (sentences: readonly Sentence[], at: number, language: string | null): boolean => {
	const sentence = sentences[at]
	return sentence !== undefined && hasCue(sentence, language)
}

function median(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
