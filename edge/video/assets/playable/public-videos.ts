import type { Deps } from '../../../platform/deps.ts'
import { keepCached, readCached } from '../../../platform/network/edge-cache.ts'
import { CACHE_SECONDS, PUBLIC_VIDEOS_KEY } from './playable.ts'
import { type PublicVideo, publicVideosStore } from './public-videos-store.ts'

const LIMIT = 12

/** Returns the newest public videos of the installation, newest first. */
export async function listPublicVideos(deps: Deps): Promise<PublicVideo[]> {
	const cached = await readCached<PublicVideo[]>(PUBLIC_VIDEOS_KEY)
	if (cached) return cached
	const videos = await publicVideosStore(deps.db).list(LIMIT)
	deps.defer(keepCached(PUBLIC_VIDEOS_KEY, videos, CACHE_SECONDS))
	return videos
}
