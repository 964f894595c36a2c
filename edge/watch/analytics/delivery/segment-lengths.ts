import type { Deps } from '../../../platform/deps.ts'
import { mediaPrefix } from '../../../video/assets/storage-keys.ts'
import { findSegmentPlaylist } from '../../../video/transcoding/presentation/layout.ts'
import { readMediaPlaylist } from '../../../video/transcoding/presentation/read-playlist.ts'

/** The default segment duration (edge/video/transcoding/plan/frame-grid.ts), used if the playlist can't be read. */
const USUAL_SEGMENT_MS = 4_000
const MAX_PLAYLISTS = 200

/**
 * Segment durations in milliseconds, by the storage key of their playlist. Requests can't await each other's reads, so
 * several may read the same playlist at first.
 */
const playlists = new Map<string, number[]>()

/** Returns the duration of a segment in milliseconds. In a copied rendition, segments follow the keyframes of the source. */
export async function readSegmentMs(
	deps: Deps,
	{ playbackId, path, index }: { playbackId: string; path: string; index: number },
): Promise<number> {
	const key = mediaPrefix(playbackId) + findSegmentPlaylist(path)
	const lengths = playlists.get(key) ?? (await readLengths(deps, key))
	return lengths[index] ?? USUAL_SEGMENT_MS
}

async function readLengths({ objects, log }: Deps, key: string): Promise<number[]> {
	try {
		const answer = await objects.media.get(key)
		if (answer.state !== 'found') return []
		const text = await new Response(answer.body).text()
		const lengths = (readMediaPlaylist(text, '')?.segments ?? []).map(({ seconds }) => seconds * 1_000)
		if (playlists.size >= MAX_PLAYLISTS) playlists.clear()
		playlists.set(key, lengths)
		return lengths
	} catch (error) {
		log.error('the playlist of a served segment could not be read', error)
		return []
	}
}
