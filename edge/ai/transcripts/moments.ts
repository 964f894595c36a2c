import type { Deps } from '../../platform/deps.ts'
import type { AssetRow } from '../../video/assets/store.ts'
import { findQuote } from './quotes.ts'
import { readTranscript } from './transcripts.ts'

/** Finds the moments of a video that contain a query. Also returns the length of the text. */
export async function findMoments(
	deps: Deps,
	{ transcriptKey }: Pick<AssetRow, 'transcriptKey'>,
	q: string,
): ReturnType<Deps['contributions']['findMoments']> {
	const transcript = transcriptKey === null ? null : await readTranscript(deps, transcriptKey)
	if (!transcript) return { isQuote: false, matches: [], characters: 0 }
	return { ...findQuote(transcript, q), characters: transcript.text.length }
}
