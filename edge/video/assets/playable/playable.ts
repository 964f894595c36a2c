import type { Deps } from '../../../platform/deps.ts'
import { hashText } from '../../../platform/hash-text.ts'
import { deleteCached, readCached, storeCached } from '../../../platform/network/edge-cache.ts'
import { assetStore, type PlayableRow, playableColumns } from '../store.ts'
import { publicVideoColumns } from './public-videos-store.ts'

/** Other locations may serve the old version for this long. */
export const CACHE_SECONDS = 60

/** Changes with the columns, so that a deployment does not read rows cached by an earlier one. */
const version = hashText(playableColumns.join())

export const playableCacheKey = (playbackId: string) => `playable-${version}/${playbackId}`

export const publicVideosCacheKey = `public-videos-${hashText(Object.keys(publicVideoColumns).join())}`

/** The newest public videos of a collection. */
export const collectionCacheKey = (collectionId: string) => `${publicVideosCacheKey}/${collectionId}`

/** Returns an asset that is ready. Popular videos are served from the cache without SQL. */
export async function findPlayable(deps: Deps, playbackId: string): Promise<PlayableRow | null> {
	const cached = await readCached<PlayableRow>(playableCacheKey(playbackId))
	if (cached) return cached
	const row = await assetStore(deps.db).findPlayable(playbackId)
	if (!row) return null
	deps.defer(storeCached(playableCacheKey(playbackId), row, CACHE_SECONDS))
	return row
}

/**
 * Call after every change that viewers can see, before responding, so that the caller sees the change. Name the collection
 * if the asset may appear among the other videos of a watch page, or disappear there.
 */
export const deleteCachedPlayable = (playbackId: string, collectionId: string | null = null): Promise<void> =>
	deleteCachedPlayables([playbackId], [collectionId])

/** As `deleteCachedPlayable`, for many assets. */
export const deleteCachedPlayables = async (
	playbackIds: readonly string[],
	collectionIds: readonly (string | null)[] = [],
): Promise<void> => {
	if (playbackIds.length === 0) return
	const collections = new Set(collectionIds.filter((id) => id !== null))
	await Promise.all([
		...[...collections].map((id) => deleteCached(collectionCacheKey(id))),
		...playbackIds.map((playbackId) => deleteCached(playableCacheKey(playbackId))),
		deleteCachedPublicVideos(),
	])
}

/** Call after an organization change that shows or hides its videos on the start page. */
export const deleteCachedPublicVideos = (): Promise<void> => deleteCached(publicVideosCacheKey)
