import type { ShareLinks } from '#schema/contract/watch/player-page.ts'
import { buildEmbedUrl, buildWatchUrl } from '../../../video/assets/playable/player-pages.ts'
import type { PlayableRow } from '../../../video/assets/store.ts'
import { fitWithin } from './sizes.ts'
import { renderIframeSnippet } from './snippet.ts'

type Shared = {
	kind: 'embed' | 'watch'
	row: Pick<PlayableRow, 'playbackId' | 'title' | 'visibility'>
	/** The base URL of the pages with the player. */
	base: string
	size: { width: number; height: number }
	linkParameters: Record<string, string>
}

/** Returns the links that viewers can share; null for an embedded signed video, whose page needs a token. */
export function viewShareLinks({ kind, row, base, size, linkParameters }: Shared): ShareLinks | null {
	const { playbackId, title, visibility } = row
	const isSigned = visibility === 'signed'
	if (isSigned && kind === 'embed') return null
	// The share dialog sets the start time.
	const { t: _, ...parameters } = linkParameters
	const src = buildEmbedUrl(base, playbackId, parameters)
	return {
		watchUrl: buildWatchUrl(base, playbackId, parameters),
		embedSnippet: isSigned ? null : renderIframeSnippet({ src, title, video: size, size: fitWithin(size) }),
	}
}
