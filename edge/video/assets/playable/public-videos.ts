import type { Deps } from '../../../platform/deps.ts'
import { readCached, storeCached } from '../../../platform/network/edge-cache.ts'
import type { PlayableRow } from '../store.ts'
import { CACHE_SECONDS, collectionCacheKey, publicVideosCacheKey } from './playable.ts'
import { type PublicVideo, publicVideosStore } from './public-videos-store.ts'

const LIMIT = 12
/** The maximum number of other videos on a watch page. */
const COLLECTION_LIMIT = 8

/** Returns the newest public videos of the installation, newest first. */
export async function listPublicVideos(deps: Deps): Promise<PublicVideo[]> {
	const cached = await readCached<PublicVideo[]>(publicVideosCacheKey)
	if (cached) return cached
	const videos = await publicVideosStore(deps.db).list(LIMIT)
	deps.defer(storeCached(publicVideosCacheKey, videos, CACHE_SECONDS))
	return videos
}

/** Returns the newest other public videos of the collection of a video. All its videos share one cached list. */
export async function listOtherVideos(
	deps: Deps,
	{ orgId, collectionId, playbackId }: Pick<PlayableRow, 'orgId' | 'collectionId' | 'playbackId'>,
): Promise<PublicVideo[]> {
	if (collectionId === null) return []
	const key = collectionCacheKey(collectionId)
	let videos = await readCached<PublicVideo[]>(key)
	if (!videos) {
		videos = await publicVideosStore(deps.db).listOfCollection(orgId, collectionId, COLLECTION_LIMIT + 1)
		deps.defer(storeCached(key, videos, CACHE_SECONDS))
	}
	return videos.filter((video) => video.playbackId !== playbackId).slice(0, COLLECTION_LIMIT)
}
