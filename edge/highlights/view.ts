import type { PublicHighlight } from '#schema/contract/video/ai/highlights.ts'
import type { PlayableRow } from '../assets/store.ts'
import type { LinkContext } from '../assets/view.ts'
import { mediaUrl } from '../playback/view.ts'
import type { HighlightRow } from './store.ts'

/** Returns what viewers see of the highlights whose clips are ready. */
export const viewPublicHighlights = (
	urls: LinkContext,
	{ playbackId }: Pick<PlayableRow, 'playbackId'>,
	rows: readonly HighlightRow[],
): PublicHighlight[] =>
	rows.flatMap((row) => {
		const { id, title, description, startMs, endMs, status, clipFolder, hasPoster } = row
		if (status !== 'ready' || clipFolder === null) return []
		const urlOf = (name: string) => mediaUrl(urls, playbackId, clipFolder + name)
		return [
			{
				...{ id, title, description, startTime: startMs / 1_000, endTime: endMs / 1_000 },
				manifestUrl: urlOf('clip.m3u8'),
				clipUrl: urlOf('clip.mp4'),
				posterUrl: hasPoster ? urlOf('poster.jpg') : null,
			},
		]
	})
