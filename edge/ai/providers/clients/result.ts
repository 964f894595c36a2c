import { z } from 'zod'
import type { TranscriptWord } from '#schema/contract/ai/transcripts.ts'
import { ProviderError } from './provider-error.ts'

/** Whisper's confidence in a segment. Providers omit values that they don't measure. */
type Confidence = { avgLogprob?: number; compressionRatio?: number; noSpeechProb?: number }

export type ResultSegment = Confidence & {
	/** Seconds from the beginning of the audio. */
	start: number
	end: number
	text: string
	words?: TranscriptWord[]
}

/** What a provider heard, in the same form for all providers. */
export type TranscriptionResult = {
	/** A language tag (BCP 47); null if the provider names none. */
	language: string | null
	durationSec: number | null
	segments: ResultSegment[]
	supports: { segments: boolean; words: boolean }
}

const time = z.number()
/** A word in the usual form. Some providers omit times that they could not determine. */
export const RawWord = z.object({ word: z.string(), start: time.nullish(), end: time.nullish() })
export type RawWord = z.infer<typeof RawWord>
export type RawSegment = Confidence & {
	start: number
	end: number
	text: string
	words?: RawWord[] | null | undefined
}

const MAX_WORD_LENGTH = 100
const MAX_SEGMENT_LENGTH = 1_000
const MAX_SEGMENT_WORDS = 500
/** A longer pause starts a new segment. */
const PAUSE_SEC = 0.8
const LONG_SEGMENT_SEC = 12

/**
 * Joins tokens to words. Whisper's tokens start with a space at a word boundary. A list without any such token
 * already contains words.
 */
export function joinTokens(tokens: readonly RawWord[]): TranscriptWord[] {
	const areTokens = tokens.some(({ word }) => /^\s/.test(word))
	const words: TranscriptWord[] = []
	for (const { word, start, end } of tokens) {
		const text = word.trim()
		if (text === '' || start === null || start === undefined) continue
		const until = Math.max(end ?? start, start)
		const last = words.at(-1)
		if (areTokens && last && !/^\s/.test(word) && last.word.length + text.length <= MAX_WORD_LENGTH) {
			last.word += text
			last.end = Math.max(last.end, until)
		} else
			words.push({ word: text.slice(0, MAX_WORD_LENGTH), start: Math.max(0, start), end: Math.max(0, until) })
	}
	return inOrder(words)
}

/** Words of a provider may overlap by a few hundredths of a second, and a few go backwards. */
function inOrder(words: TranscriptWord[]): TranscriptWord[] {
	let from = 0
	return words.map(({ word, ...span }) => {
		const start = Math.max(span.start, from)
		const end = Math.max(span.end, start)
		from = start
		return { word, start, end }
	})
}

/** Groups words into segments at pauses and sentence ends, for providers without segments. */
export function segmentWords(words: readonly TranscriptWord[]): RawSegment[] {
	const groups: TranscriptWord[][] = []
	for (const word of words) {
		const group = groups.at(-1)
		const last = group?.at(-1)
		const isNew =
			!group ||
			!last ||
			word.start - last.end > PAUSE_SEC ||
			/[.!?。！？]$/u.test(last.word) ||
			last.end - (group[0]?.start ?? 0) > LONG_SEGMENT_SEC
		if (isNew) groups.push([word])
		else group.push(word)
	}
	return groups.map((group) => ({
		start: group[0]?.start ?? 0,
		end: group.at(-1)?.end ?? 0,
		text: group.map(({ word }) => word).join(' '),
		words: group,
	}))
}

/** Gives each segment the words whose middle lies in it, for providers that list words beside the segments. */
export function placeWords(segments: readonly RawSegment[], words: readonly TranscriptWord[]): RawSegment[] {
	let at = 0
	return segments.map((segment, i) => {
		const until = segments[i + 1]?.start ?? Number.POSITIVE_INFINITY
		const own: TranscriptWord[] = []
		for (let word = words[at]; word && (word.start + word.end) / 2 < until; word = words[++at]) own.push(word)
		return { ...segment, words: own }
	})
}

/** Validates and sorts a provider's result. Throws for text without times. */
export function toResult(
	input: {
		language: string | null
		durationSec: number | null | undefined
		text: string
		segments: RawSegment[]
	},
	hasWords: boolean,
): TranscriptionResult {
	const { language, durationSec, text } = input
	if (input.segments.length === 0 && text.trim() !== '')
		throw new ProviderError(
			'no_times',
			'the provider returns text without times; choose a model that returns segments or words with times',
		)
	let from = 0
	const segments: ResultSegment[] = []
	for (const { start, end, text, words, ...confidence } of input.segments) {
		const own = text
			.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
			.trim()
			.slice(0, MAX_SEGMENT_LENGTH)
		const span = { start: Math.max(start, from), end }
		if (own === '' || span.end - span.start < 0.001) continue
		segments.push({
			...span,
			text: own,
			...(hasWords && words && { words: joinTokens(words).slice(0, MAX_SEGMENT_WORDS) }),
			...confidence,
		})
		from = span.end
	}
	return {
		language,
		durationSec: durationSec ?? null,
		segments,
		supports: { segments: segments.length > 0, words: hasWords },
	}
}

/** Parses a response, or throws that it differs from the provider's documentation. */
export function parseAnswer<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
	const parsed = schema.safeParse(answer)
	if (parsed.success) return parsed.data
	const [issue] = parsed.error.issues
	const where = issue && issue.path.length > 0 ? ` (${issue.path.join('.').slice(0, 80)})` : ''
	throw new ProviderError('unexpected_answer', `the response has an unexpected form${where}`)
}
