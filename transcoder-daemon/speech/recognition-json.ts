import { z } from 'zod'
import { SpokenLanguage, type SpokenSegment, type SpokenWord } from '#schema/contract/video/tasks.ts'
import type { Recognition } from './engine.ts'

const Time = z.number().min(0)
const Word = z.object({ word: z.string(), start: Time, end: Time })

/** The format of this project, which is also what OpenAI's API calls `verbose_json`. */
const Plain = z.object({
	language: z.string().nullish(),
	segments: z.array(
		z.object({ start: Time, end: Time, text: z.string().default(''), words: z.array(Word).default([]) }),
	),
	words: z.array(Word).optional(),
})

/** What `whisper-cli -ojf` writes: milliseconds, and tokens instead of words. */
const Span = z.object({ from: Time, to: Time })
const WhisperCli = z.object({
	result: z.object({ language: z.string().nullish() }).optional(),
	transcription: z.array(
		z.object({
			offsets: Span,
			text: z.string(),
			tokens: z.array(z.object({ text: z.string(), offsets: Span.optional() })).default([]),
		}),
	),
})

const MAX_SEGMENTS = 5_000
const MAX_WORDS = 2_000
const MAX_TEXT = 2_000
const MAX_WORD = 200

export class UnreadableRecognitionError extends Error {
	override name = 'UnreadableRecognitionError'
}

/** Parses an engine's output in any of the formats. */
export function readRecognition(text: string): Recognition {
	let json: unknown
	try {
		json = JSON.parse(text)
	} catch {
		throw new UnreadableRecognitionError('the speech engine wrote no JSON')
	}
	const whisper = WhisperCli.safeParse(json)
	if (whisper.success) return bounded(ofWhisperCli(whisper.data))
	const plain = Plain.safeParse(json)
	if (plain.success) return bounded(ofPlain(plain.data))
	throw new UnreadableRecognitionError(
		'the JSON of the speech engine has neither "segments" nor "transcription"',
	)
}

type Found = { language: string | null; segments: SpokenSegment[] }

function ofPlain({ language = null, segments, words: all = [] }: z.infer<typeof Plain>): Found {
	let at = 0
	return {
		language: language ?? null,
		segments: segments.map(({ start, end, text, words }) => {
			if (words.length > 0) return { start, end, text, words: joinTokens(words) }
			// OpenAI lists the words beside the segments.
			const own: SpokenWord[] = []
			for (let word = all[at]; word && (word.start + word.end) / 2 < end; word = all[++at]) own.push(word)
			return { start, end, text, words: joinTokens(own) }
		}),
	}
}

const ofWhisperCli = ({ result, transcription }: z.infer<typeof WhisperCli>): Found => ({
	language: result?.language ?? null,
	segments: transcription.map(({ offsets, text, tokens }) => ({
		start: offsets.from / 1_000,
		end: offsets.to / 1_000,
		text: text.trim(),
		words: joinTokens(
			tokens.flatMap(({ text, offsets }) =>
				// Timestamps and other model tokens are in brackets.
				offsets && !/^\s*\[_.*\]\s*$/.test(text)
					? [{ word: text, start: offsets.from / 1_000, end: offsets.to / 1_000 }]
					: [],
			),
		),
	})),
})

/** Some engines list tokens: a word starts with a space, if any token does. */
function joinTokens(tokens: readonly SpokenWord[]): SpokenWord[] {
	const areTokens = tokens.some(({ word }) => /^\s/.test(word))
	const words: SpokenWord[] = []
	for (const { word, start, end } of tokens) {
		const last = words.at(-1)
		if (areTokens && last && !/^\s/.test(word)) {
			last.word += word.trimEnd()
			last.end = Math.max(last.end, end)
		} else words.push({ word: word.trim(), start, end: Math.max(start, end) })
	}
	return words.filter(({ word }) => word !== '')
}

/** Truncates to the contract's limits, and drops empty texts. */
const bounded = ({ language, segments }: Found): Recognition => ({
	language: SpokenLanguage.safeParse(language?.trim().toLowerCase()).data ?? null,
	segments: segments
		.map(({ start, end, text, words }) => ({
			start,
			end: Math.max(start, end),
			text: (text.trim() || words.map(({ word }) => word).join(' ')).slice(0, MAX_TEXT),
			words: words.slice(0, MAX_WORDS).map((word) => ({ ...word, word: word.word.slice(0, MAX_WORD) })),
		}))
		.filter(({ text }) => text !== '')
		.slice(0, MAX_SEGMENTS),
})
