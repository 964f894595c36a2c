import type { Deps } from '../../../platform/deps.ts'
import { readCached, storeCached } from '../../../platform/network/edge-cache.ts'
import { CACHE_SECONDS, publicVideosCacheKey } from './playable.ts'
import { type PublicVideo, publicVideosStore } from './public-videos-store.ts'

const LIMIT = 12

/** Returns the newest public videos of the installation, newest first. */
export async function listPublicVideos(deps: Deps): Promise<PublicVideo[]> {
	const cached = await readCached<PublicVideo[]>(publicVideosCacheKey)
	if (cached) return cached
	const videos = await publicVideosStore(deps.db).list(LIMIT)
	deps.defer(storeCached(publicVideosCacheKey, videos, CACHE_SECONDS))
	return videos
}
