import type { TaskResultByKind, TaskSpecByKind } from '#schema/contract/video/tasks.ts'

/** The sound may be longer than the picture, and the last frame of a file longer than its sound. */
const TOLERANCE_SEC = 1
/** Engines pad their input, for instance to 30 s. */
const PADDING_SEC = 30
/** Chunks should be much longer; this many cost as much as one long one. */
const MIN_CHUNK_SEC = 10
/** Nobody speaks half as fast, and repetitive hallucinations are slower. */
const MAX_WORDS_PER_SEC = 20
const MAX_CHARS_PER_SEC = 200

/** Returns why a plan's chunks do not fit its video, or null. */
export function findSpeechPlanProblem(
	{ durationSec }: TaskSpecByKind<'speech-plan'>,
	{ chunks, speech }: TaskResultByKind<'speech-plan'>,
): string | null {
	const endMs = (durationSec + TOLERANCE_SEC) * 1_000
	if (chunks.length > durationSec / MIN_CHUNK_SEC + 2)
		return `there are ${chunks.length} chunks, too many for ${durationSec} s`
	let last = 0
	for (const [index, { file, fromMs, toMs, startMs, endMs: end }] of chunks.entries()) {
		if (file.name !== `chunk-${index}.flac`) return `chunk ${index} has the name ${file.name}`
		if (!(fromMs <= startMs && last <= startMs && startMs < end && end <= toMs && toMs <= endMs))
			return `chunk ${index} is out of order or outside the video`
		last = end
	}
	let spoken = 0
	for (const [from, to] of speech) {
		if (from < spoken || to <= from || to > endMs) return 'the speech is out of order or outside the video'
		spoken = to
	}
	return (speech.length === 0) === (chunks.length === 0) ? null : 'chunks and speech do not match'
}

/** Returns why a chunk's text can't be placed in it, or null. */
export function findTranscribeProblem(
	{ durationSec }: TaskSpecByKind<'transcribe'>,
	{ segments }: TaskResultByKind<'transcribe'>,
): string | null {
	const isOutside = segments.some(({ start, end }) => end < start || start > durationSec + PADDING_SEC)
	if (isOutside) return 'a segment lies outside its chunk, or ends before it begins'
	const seconds = durationSec + PADDING_SEC
	const words = segments.reduce((sum, { words }) => sum + words.length, 0)
	const chars = segments.reduce((sum, { text }) => sum + text.length, 0)
	return words > seconds * MAX_WORDS_PER_SEC || chars > seconds * MAX_CHARS_PER_SEC
		? `nobody can say ${words} words with ${chars} characters in ${durationSec} s`
		: null
}
