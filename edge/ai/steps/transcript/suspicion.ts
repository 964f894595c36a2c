import type { TimedSegment } from './timed-segment.ts'

const MIN_SPEECH_SHARE = 0.2
const MAX_CHARS_PER_SEC = 30
/** Whisper's own limit for repetitive text. */
const MAX_COMPRESSION = 2.4
/** Shorter texts don't compress. */
const MIN_COMPRESSED_CHARS = 60
const MAX_GRAM = 6
const LOOP_TIMES = 4
const SAME_TIMES = 3

/**
 * Removes hallucinated texts by structure alone; a list of phrases would remove real speech. One sign makes a segment
 * suspect, two remove it.
 */
export async function removeHallucinations(
	segments: readonly TimedSegment[],
	speech: readonly (readonly [number, number])[],
): Promise<TimedSegment[]> {
	const repeated = repeatedSegments(segments)
	const kept: TimedSegment[] = []
	// Sequential, because compressing all at once takes too much memory.
	for (const [at, segment] of segments.entries()) {
		const signs = [
			speechShare(segment, speech) < MIN_SPEECH_SHARE,
			hasLoop(segment.words.map(({ word }) => fold(word))),
			repeated.has(at),
			segment.text.length > MAX_CHARS_PER_SEC * Math.max(0.1, segment.end - segment.start),
			(await compressionOf(segment.text)) > MAX_COMPRESSION,
		].filter(Boolean).length
		if (signs < 2) kept.push(signs === 1 ? { ...segment, suspect: true } : segment)
	}
	return kept
}

const fold = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}\s]/gu, '')

/** Returns the share of a segment that contains speech. */
function speechShare(
	{ start, end }: Pick<TimedSegment, 'start' | 'end'>,
	speech: readonly (readonly [number, number])[],
): number {
	const [from, to] = [start * 1_000, Math.max(end * 1_000, start * 1_000 + 1)]
	let low = 0
	let high = speech.length
	while (low < high) {
		const middle = (low + high) >> 1
		if ((speech[middle]?.[1] ?? 0) <= from) low = middle + 1
		else high = middle
	}
	let spokenMs = 0
	for (let at = low; at < speech.length && (speech[at]?.[0] ?? to) < to; at++) {
		const [begin, stop] = speech[at] ?? [to, to]
		spokenMs += Math.min(to, stop) - Math.max(from, begin)
	}
	return spokenMs / (to - from)
}

/** Whether one to six words occur at least four times in a row. */
export function hasLoop(words: readonly string[]): boolean {
	for (let gram = 1; gram <= MAX_GRAM; gram++) {
		let same = 0
		for (let at = gram; at < words.length; at++) {
			same = words[at] !== '' && words[at] === words[at - gram] ? same + 1 : 0
			if (same >= gram * (LOOP_TIMES - 1)) return true
		}
	}
	return false
}

/** Returns runs of three or more segments with the same text. */
function repeatedSegments(segments: readonly TimedSegment[]): ReadonlySet<number> {
	const texts = segments.map(({ text }) => fold(text).trim())
	const found = new Set<number>()
	for (let from = 0; from < texts.length; ) {
		let to = from + 1
		while (to < texts.length && texts[to] === texts[from]) to++
		if (texts[from] !== '' && to - from >= SAME_TIMES) for (let at = from; at < to; at++) found.add(at)
		from = to
	}
	return found
}

async function compressionOf(text: string): Promise<number> {
	if (text.length < MIN_COMPRESSED_CHARS) return 1
	const bytes = new TextEncoder().encode(text)
	const deflated = new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate')))
	return bytes.length / (await deflated.arrayBuffer()).byteLength
}
