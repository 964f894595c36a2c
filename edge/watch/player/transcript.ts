import type { Transcript } from '#schema/contract/ai/transcripts.ts'
import { readTranscript } from '../../ai/transcripts/transcripts.ts'
import { endsSentence } from '../../ai/transcripts/words.ts'
import type { Deps } from '../../platform/deps.ts'
import { readCached, storeCached } from '../../platform/network/edge-cache.ts'
import type { PlayableRow } from '../../video/assets/store.ts'

/** About a sentence, with its start time. */
export type Line = { startSec: number; text: string }
/** Speech without a long pause. */
export type Paragraph = { startSec: number; lines: Line[] }

/** Each version of a transcript has its own key, so entries never go stale. */
const CACHE_SECONDS = 3_600
const PAUSE_SEC = 2
/** In characters. A longer paragraph ends with the next sentence. */
const LONG_PARAGRAPH = 400

/** Returns the visible transcript in paragraphs. Popular videos are served from the cache. */
export async function readParagraphs(
	deps: Deps,
	{ transcriptKey, publicSettings }: Pick<PlayableRow, 'transcriptKey' | 'publicSettings'>,
): Promise<Paragraph[]> {
	if (transcriptKey === null || !publicSettings.showTranscript) return []
	const cacheKey = `paragraphs-1/${transcriptKey}`
	const cached = await readCached<Paragraph[]>(cacheKey)
	if (cached) return cached
	const transcript = await readTranscript(deps, transcriptKey)
	if (!transcript) return []
	const paragraphs = groupIntoParagraphs(transcript.segments)
	deps.defer(storeCached(cacheKey, paragraphs, CACHE_SECONDS))
	return paragraphs
}

export function groupIntoParagraphs(
	segments: readonly Pick<Transcript['segments'][number], 'start' | 'end' | 'text'>[],
): Paragraph[] {
	const paragraphs: Paragraph[] = []
	let length = 0
	for (const [at, { start, text }] of segments.entries()) {
		const before = segments[at - 1]
		const isLong = length > LONG_PARAGRAPH && endsSentence(before?.text ?? '')
		if (!before || start - before.end >= PAUSE_SEC || isLong) {
			paragraphs.push({ startSec: start, lines: [] })
			length = 0
		}
		paragraphs.at(-1)?.lines.push({ startSec: start, text })
		length += text.length
	}
	return paragraphs
}

export const joinParagraphs = (paragraphs: readonly Paragraph[]): string =>
	paragraphs.map(({ lines }) => lines.map(({ text }) => text).join(' ')).join('\n')
