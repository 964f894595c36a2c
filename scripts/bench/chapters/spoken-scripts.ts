import { readFileSync } from 'node:fs'
import type { Transcript } from '#schema/contract/ai/transcripts.ts'
import { timeWords } from '../../../edge/ai/transcripts/word-times.ts'
import { endsSentence } from '../../../edge/ai/transcripts/words.ts'

/** A script as if spoken: the transcript, and when its topics begin after the first. */
export type SpokenScript = { name: string; transcript: Transcript; durationSec: number; truth: number[] }

const names = ['three-topics', 'lecture', 'interview', 'kitchen-de'] as const
const SEC_PER_LETTER = 0.075
const SENTENCE_PAUSE_SEC = 0.45

/** Each fifth sentence or so is followed by a long pause, so a long pause alone says little. */
const LONG_PAUSE_SEC = 0.95
const TOPIC_PAUSE_SEC = 1.1

/** Reads a text with a paragraph for each topic. */
export function speak(
	name: string,
	text: string,
	language: string,
	topicPauseSec = TOPIC_PAUSE_SEC,
): SpokenScript {
	const truth: number[] = []
	const segments: Transcript['segments'] = []
	let at = 0.4
	let count = 0
	for (const [topic, paragraph] of text.trim().split(/\n\n+/).entries()) {
		if (topic > 0) {
			at = (segments.at(-1)?.end ?? 0) + topicPauseSec
			truth.push(at)
		}
		for (const sentence of sentencesIn(paragraph)) {
			const span = { start: at, end: at + sentence.length * SEC_PER_LETTER }
			segments.push({ id: segments.length, ...span, text: sentence, words: timeWords(sentence, span, []) })
			at = span.end + (++count % 5 === 3 ? LONG_PAUSE_SEC : SENTENCE_PAUSE_SEC)
		}
	}
	const transcript = { language, duration: at, text: segments.map(({ text }) => text).join(' '), segments }
	return { name, transcript, durationSec: at, truth }
}

function sentencesIn(paragraph: string): string[] {
	const sentences: string[] = []
	let words: string[] = []
	for (const word of paragraph.split(/\s+/)) {
		words.push(word)
		if (!endsSentence(word)) continue
		sentences.push(words.join(' '))
		words = []
	}
	return sentences
}

export const readScript = (name: string): string =>
	readFileSync(new URL(`scripts/${name}.txt`, import.meta.url), 'utf8')

export const readSpokenScripts = (topicPauseSec?: number): SpokenScript[] =>
	names.map((name) => speak(name, readScript(name), name.endsWith('-de') ? 'de' : 'en', topicPauseSec))
