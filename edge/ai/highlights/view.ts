import type { PublicHighlight } from '#schema/contract/ai/highlights.ts'
import { mediaUrl } from '../../video/assets/playable/media-url.ts'
import type { PlayableRow } from '../../video/assets/store.ts'
import type { LinkContext } from '../../video/assets/view.ts'
import { computeTotalScore } from '../../video/transcoding/progress/highlight-view.ts'
import type { HighlightRow } from './store.ts'

export type ShownHighlight = HighlightRow & { clipFolder: string }

export const viewPublicHighlights = (
	urls: LinkContext,
	{ playbackId }: Pick<PlayableRow, 'playbackId'>,
	rows: readonly ShownHighlight[],
): PublicHighlight[] => {
	const ranking = rows.toSorted(
		(a, b) => computeTotalScore(b) - computeTotalScore(a) || a.startMs - b.startMs,
	)
	return rows.map((row) => {
		const { id, title, description, startMs, endMs, clipFolder, hasPoster } = row
		const urlOf = (name: string) => mediaUrl(urls, playbackId, clipFolder + name)
		return {
			...{ id, title, description, startTime: startMs / 1_000, endTime: endMs / 1_000 },
			rank: ranking.indexOf(row) + 1,
			manifestUrl: urlOf('clip.m3u8'),
			clipUrl: urlOf('clip.mp4'),
			posterUrl: hasPoster ? urlOf('poster.jpg') : null,
		}
	})
}
