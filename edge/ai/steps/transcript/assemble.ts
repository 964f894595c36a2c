import type { SpokenSegment } from '#schema/contract/video/tasks.ts'
import { roundMs, timeWords } from '../../transcripts/word-times.ts'
import { chooseLanguage } from './language.ts'
import { removeRepetition } from './seams.ts'
import { splitLongSegment } from './split-long.ts'
import { removeHallucinations } from './suspicion.ts'
import { type RecognizedChunk, type TimedSegment, toTimedSegment } from './timed-segment.ts'

type AssembledTranscript = { language: string | null; segments: TimedSegment[] }

type Recognized = {
	durationSec: number
	/** Runs of speech in milliseconds of the video. */
	speech: readonly (readonly [number, number])[]
	/** The given or tagged language. */
	language: string | null
	chunks: readonly RecognizedChunk[]
}

/** Joins the texts of all chunks. Order and duplicates don't matter. */
export async function assembleTranscript({
	durationSec,
	speech,
	language,
	chunks,
}: Recognized): Promise<AssembledTranscript> {
	const inOrder = chunks
		.toSorted((a, b) => a.startMs - b.startMs)
		.filter(({ startMs }, at, all) => startMs !== all[at - 1]?.startMs)
	const joined: TimedSegment[] = []
	for (const chunk of inOrder) {
		const own = chunk.segments.flatMap((segment) => placeSegment(segment, chunk))
		const isRepeating = chunk.fromMs < chunk.startMs
		joined.push(...(isRepeating ? removeRepetition(joined, own, chunk.startMs / 1_000) : own))
	}
	const kept = await removeHallucinations(joined, speech)
	return {
		language: chooseLanguage(language, chunks),
		segments: inSequence(kept.flatMap(splitLongSegment), durationSec),
	}
}

/** Shifts a segment to video time, and keeps the words whose middle lies in the chunk. */
function placeSegment(segment: SpokenSegment, { fromMs, startMs, endMs }: RecognizedChunk): TimedSegment[] {
	const shift = fromMs / 1_000
	const span = { start: segment.start + shift, end: Math.max(segment.end, segment.start) + shift }
	const text = lineOf(segment.text)
	const given = segment.words
		.map(({ word, start, end }) => ({
			word: lineOf(word),
			start: start + shift,
			end: Math.max(start, end) + shift,
		}))
		.filter(({ word }) => word !== '')
	const words = given.length > 0 ? given : timeWords(text, span, [])
	const own = words.filter(({ start, end }) => {
		const middle = ((start + end) / 2) * 1_000
		return startMs <= middle && middle < endMs
	})
	return own.length === 0 ? [] : [toTimedSegment(own, own.length === words.length ? text : '')]
}

/** Removes characters that a line of text can't contain. */
const lineOf = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()

/** Makes the times ascending, without overlaps, within the video. */
function inSequence(segments: readonly TimedSegment[], durationSec: number): TimedSegment[] {
	let before = 0
	return segments
		.toSorted((a, b) => a.start - b.start)
		.flatMap((segment) => {
			const clamp = (sec: number) => roundMs(Math.min(Math.max(sec, before), durationSec))
			const words = segment.words
				.map(({ word, start, end }) => ({ word, start: clamp(start), end: clamp(end) }))
				.map(({ word, start, end }) => ({ word, start, end: Math.max(start, end) }))
			const [start, end] = [clamp(segment.start), clamp(segment.end)]
			if (end - start < 0.001) return []
			before = end
			return [{ ...segment, start, end, words }]
		})
}
