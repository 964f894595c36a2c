import type { Moments } from '../assets/moments.ts'
import type { AssetRow } from '../assets/store.ts'
import type { Deps } from '../platform/deps.ts'
import { findQuote } from './quotes.ts'
import { readTranscript } from './transcripts.ts'

/** Finds the moments of a video in which a query is said. */
export async function findMoments(
	deps: Deps,
	{ transcriptKey }: Pick<AssetRow, 'transcriptKey'>,
	q: string,
): Promise<Moments> {
	const transcript = transcriptKey === null ? null : await readTranscript(deps, transcriptKey)
	return transcript ? findQuote(transcript, q) : { isQuote: false, matches: [] }
}
