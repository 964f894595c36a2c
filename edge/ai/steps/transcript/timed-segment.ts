import type { TranscriptSegment, TranscriptWord } from '#schema/contract/ai/transcripts.ts'
import type { SpeechChunk, SpokenSegment } from '#schema/contract/video/tasks.ts'
import { joinWords, splitWords } from '../../transcripts/words.ts'

export type RecognizedChunk = Omit<SpeechChunk, 'file'> & {
	language: string | null
	segments: readonly SpokenSegment[]
}
/** A segment with the times of its words, in seconds of the video. */
export type TimedSegment = TranscriptSegment & { words: TranscriptWord[] }

/** Builds a segment from words, with their text unless another one is given. */
export function toTimedSegment(words: readonly TranscriptWord[], text = ''): TimedSegment {
	const [first] = words
	const last = words.at(-1)
	if (!first || !last) throw new Error('a segment has words')
	const own = text || joinWords(words.flatMap(({ word }) => splitWords(word)))
	return { start: first.start, end: Math.max(last.end, first.start), text: own, words: [...words] }
}
