import { mediaPrefix } from '../../assets/storage-keys.ts'
import type { Deps } from '../../platform/deps.ts'

/** The usual length of a segment (edge/transcoding/plan/frame-grid.ts), if its playlist can't be read. */
const USUAL_SEGMENT_MS = 4_000
const MAX_PLAYLISTS = 200

/** The lengths of segments in milliseconds, by the storage key of their playlist. */
const playlists = new Map<string, Promise<number[]>>()

/**
 * Returns how long a segment of a video is, in milliseconds. Those of a copied rendition are as long as the distance of
 * its key frames. An isolate reads each playlist once.
 */
export async function segmentMsOf(
	deps: Deps,
	{ playbackId, path, index }: { playbackId: string; path: string; index: number },
): Promise<number> {
	const key = `${mediaPrefix(playbackId)}${path.slice(0, path.lastIndexOf('/'))}.m3u8`
	return (await lengthsIn(deps, key))[index] ?? USUAL_SEGMENT_MS
}

function lengthsIn(deps: Deps, key: string): Promise<number[]> {
	const known = playlists.get(key)
	if (known) return known
	if (playlists.size >= MAX_PLAYLISTS) playlists.clear()
	const lengths = readLengths(deps, key).catch((error) => {
		deps.log.error('the playlist of a served segment could not be read', error)
		playlists.delete(key)
		return []
	})
	playlists.set(key, lengths)
	return lengths
}

async function readLengths({ objects }: Deps, key: string): Promise<number[]> {
	const answer = await objects.media.get(key)
	if (answer.state !== 'found') return []
	const text = await new Response(answer.body).text()
	return [...text.matchAll(/^#EXTINF:([\d.]+)/gm)].map(([, seconds]) => Number(seconds) * 1_000)
}
