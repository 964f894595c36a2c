import { roundMs } from '../../transcripts/word-times.ts'
import { findShotInPause, measurePauseBefore, type Start } from './boundaries.ts'
import { hasCue } from './cues.ts'
import type { MadeChapter } from './made-chapters.ts'
import type { Sentence } from './sentences.ts'
import { titleChapters } from './titles.ts'

/** The start of a chapter. `words` is its lexical score; `title` is a preset title. */
export type ChapterStart = Start & { words: number; title?: string | null }

type Video = { language: string | null; durationSec: number; shots: readonly number[] }

/** Returns the sentences of each chapter. */
export const groupByChapter = (
	sentences: readonly Sentence[],
	starts: readonly Pick<Start, 'sentence'>[],
): Sentence[][] =>
	starts.map(({ sentence }, at) => sentences.slice(sentence, starts[at + 1]?.sentence ?? sentences.length))

/** Adds ends, reasons and missing titles to chapters. A single chapter yields none. */
export function describeChapters(
	sentences: readonly Sentence[],
	starts: readonly ChapterStart[],
	{ language, durationSec, shots }: Video,
): MadeChapter[] {
	if (starts.length < 2) return []
	const titles = titleChapters(groupByChapter(sentences, starts))
	const chosen = new Set(starts.map(({ title }) => title?.toLowerCase()))
	const ownTitle = (at: number) => {
		const title = titles[at] ?? ''
		return chosen.has(title.toLowerCase()) ? `Part ${at + 1}` : title
	}
	return starts.map(({ sentence, startSec, words, title }, at) => ({
		title: title ?? ownTitle(at),
		startTime: roundMs(startSec),
		endTime: roundMs(starts[at + 1]?.startSec ?? durationSec),
		reasons: {
			words: Math.round(words * 100) / 100,
			pauseSec: sentence === 0 ? 0 : roundMs(measurePauseBefore(sentences, sentence)),
			isAnnounced: sentence > 0 && hasCueAt(sentences, sentence, language),
			isShotCut: sentence > 0 && findShotInPause(sentences, sentence, shots) !== undefined,
		},
	}))
}

export const hasCueAt = (sentences: readonly Sentence[], at: number, language: string | null): boolean => {
	const sentence = sentences[at]
	return sentence !== undefined && hasCue(sentence, language)
}
