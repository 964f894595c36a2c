import { parseSegmentPath } from '../../playback/segment-path.ts'
import type { ServedMedia } from '../../playback/served-media.ts'

/** The length of segments (edge/transcoding/plan/frame-grid.ts). Those of a copied rendition vary around it. */
const SEGMENT_MS = 4_000
/** The last segment is shorter. */
const MIN_SEGMENT_MS = 500

/**
 * Returns the quality and length of the served video; null for audio, playlists and images. A part of a segment counts
 * by its share of the bytes, so all parts add up to the length of the segment.
 */
export function servedVideoOf({
	video,
	path,
	share,
}: Pick<ServedMedia, 'path' | 'share'> & { video: { durationSec: number | null } }): {
	quality: string
	ms: number
} | null {
	const segment = parseSegmentPath(path)
	if (!segment?.height) return null
	const leftMs = (video.durationSec ?? Number.POSITIVE_INFINITY) * 1_000 - segment.index * SEGMENT_MS
	const segmentMs = Math.min(SEGMENT_MS, Math.max(MIN_SEGMENT_MS, leftMs))
	return { quality: `${segment.height}p`, ms: segmentMs * share }
}
