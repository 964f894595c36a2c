import { joinWords } from '../../transcripts/words.ts'
import type { Sentence } from '../segmentation/sentences.ts'

/** A model's view of consecutive sentences: their text, or its beginning. */
export type Cue = { sentence: number; text: string }

/** An hour of speech fits completely. For longer videos, the model gets the beginning of each cue. */
const MAX_CHARACTERS = 60_000
const MAX_CUES = 600

/** Groups the sentences into at most 600 cues of at most 60,000 characters together, spread over the whole video. */
export function groupIntoCues(sentences: readonly Sentence[]): Cue[] {
	const size = Math.max(1, Math.ceil(sentences.length / MAX_CUES))
	const cues: Cue[] = []
	for (let at = 0; at < sentences.length; at += size)
		cues.push({
			sentence: at,
			text: joinWords(sentences.slice(at, at + size).flatMap(({ words }) => words.slice(0, MAX_CUE_WORDS))),
		})
	const total = cues.reduce((sum, { text }) => sum + text.length, 0)
	const share = Math.floor(MAX_CHARACTERS / Math.max(1, cues.length))
	return total <= MAX_CHARACTERS
		? cues
		: cues.map(({ sentence, text }) => ({ sentence, text: text.slice(0, share) }))
}

const MAX_CUE_WORDS = 200
