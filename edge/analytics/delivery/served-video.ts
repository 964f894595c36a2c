import type { ServedMedia } from '../../playback/served-media.ts'

/** The length of segments (edge/transcoding/plan/frame-grid.ts). Those of a copied rendition vary around it. */
const SEGMENT_MS = 4_000
/** The last segment is shorter. */
const MIN_SEGMENT_MS = 500
/** The folder of a rendition is named after its codec and quality, such as `h264-720p`. */
const SEGMENT = /(?:^|[/-])([1-9]\d{1,4}p)\/(\d{1,6})\.m4s$/

/** Returns how much video a file contains; null for sound, playlists, pictures and later parts of a segment. */
export function servedVideoOf({
	video,
	path,
	offset,
}: Pick<ServedMedia, 'path' | 'offset'> & { video: { durationSec: number | null } }): {
	quality: string
	ms: number
} | null {
	const [, quality, index] = SEGMENT.exec(path) ?? []
	if (quality === undefined || offset > 0) return null
	const leftMs = (video.durationSec ?? Number.POSITIVE_INFINITY) * 1_000 - Number(index) * SEGMENT_MS
	return { quality, ms: Math.round(Math.min(SEGMENT_MS, Math.max(MIN_SEGMENT_MS, leftMs))) }
}
