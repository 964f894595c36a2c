import type { PublicHighlight } from '#schema/contract/video/ai/highlights.ts'
import type { PlayableRow } from '../assets/store.ts'
import type { LinkContext } from '../assets/view.ts'
import { mediaUrl } from '../playback/view.ts'
import type { HighlightRow } from './store.ts'

export type ShownHighlight = HighlightRow & { clipFolder: string }

export const viewPublicHighlights = (
	urls: LinkContext,
	{ playbackId }: Pick<PlayableRow, 'playbackId'>,
	rows: readonly ShownHighlight[],
): PublicHighlight[] =>
	rows.map(({ id, title, description, startMs, endMs, clipFolder, hasPoster }) => {
		const urlOf = (name: string) => mediaUrl(urls, playbackId, clipFolder + name)
		return {
			...{ id, title, description, startTime: startMs / 1_000, endTime: endMs / 1_000 },
			manifestUrl: urlOf('clip.m3u8'),
			clipUrl: urlOf('clip.mp4'),
			posterUrl: hasPoster ? urlOf('poster.jpg') : null,
		}
	})
