import type { Deps } from '../../../platform/deps.ts'
import { askModel } from '../../providers/calls/ask-model.ts'
import type { MadeChapter } from '../segmentation/made-chapters.ts'
import { MIN_DURATION_SEC } from '../segmentation/made-chapters.ts'
import { MIN_WORDS, type SegmentationInput } from '../segmentation/segmentation.ts'
import { countWords, splitIntoSentences } from '../segmentation/sentences.ts'
import { ChaptersAnswer, readModelChapters } from './chapters-of-answer.ts'
import { groupIntoCues } from './cues.ts'

/** Leaves room for models that reason before they answer. */
const MAX_TOKENS = 8_000

const TASK = `Divide the transcript of a video into chapters. Each numbered text is what is said next.
Answer with the number of the text with which each chapter begins, in ascending order and beginning with 1, and with a title for each. A chapter covers one topic and lasts several texts. A title has 2 to 6 words, is in the language of the transcript, and uses words that are said in the chapter.`

/** `problem` explains why there are no model chapters; null if no model was set or needed. */
type ModelChapters = { chapters: MadeChapter[] } | { chapters: null; problem: string | null }

/** Lets the language model of an organization divide a video. */
export async function requestModelChapters(
	deps: Deps,
	orgId: string,
	{ transcript, durationSec, shots = [] }: SegmentationInput,
): Promise<ModelChapters> {
	const sentences = splitIntoSentences(transcript).filter(({ start }) => start < durationSec)
	if (durationSec < MIN_DURATION_SEC || countWords(sentences) < MIN_WORDS)
		return { chapters: null, problem: null }
	const cues = groupIntoCues(sentences)
	const task = { task: TASK, lines: cues.map(({ text }) => text), maxTokens: MAX_TOKENS }
	const outcome = await askModel(deps, orgId, task, ChaptersAnswer)
	if (outcome.state !== 'completed') return { chapters: null, problem: outcome.reason }
	const video = { language: transcript.language, durationSec, shots }
	const chapters = readModelChapters(outcome.answer, { cues, sentences }, video)
	return chapters
		? { chapters }
		: { chapters: null, problem: 'its answer does not divide the video into chapters' }
}
