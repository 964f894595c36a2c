import { AppError } from '../../http/errors.ts'
import { randomBase62 } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import type { CleanImage } from '../../platform/images/clean-image.ts'
import { getAsset } from './assets.ts'
import { deleteCachedPlayable } from './playable/playable.ts'
import { mediaPrefix } from './storage-keys.ts'
import { type AssetRow, assetStore } from './store.ts'

/** Each retry means that another request changed the thumbnail concurrently. */
const MAX_TRIES = 8

export async function setThumbnail(
	deps: Deps,
	orgId: string,
	assetId: string,
	image: CleanImage,
): Promise<AssetRow> {
	const { playbackId } = await getAsset(deps, orgId, assetId)
	const { media } = deps.objects
	// Each thumbnail gets a new key, so that its URL can be cached forever.
	const key = `${mediaPrefix(playbackId)}thumbnails/${randomBase62(16)}.${image.extension}`
	await media.put(key, image.bytes, { contentType: image.contentType })
	try {
		return await replaceThumbnail(deps, orgId, assetId, key)
	} catch (error) {
		await media.delete(key)
		throw error
	}
}

export const resetThumbnail = (deps: Deps, orgId: string, assetId: string): Promise<AssetRow> =>
	replaceThumbnail(deps, orgId, assetId, null)

/** Replaces the thumbnail. Only the call that replaced it deletes the old object. */
async function replaceThumbnail(
	deps: Deps,
	orgId: string,
	assetId: string,
	key: string | null,
): Promise<AssetRow> {
	const store = assetStore(deps.db)
	for (let i = 0; i < MAX_TRIES; i++) {
		const asset = await getAsset(deps, orgId, assetId)
		const before = asset.customThumbnailKey
		if (before === key) return asset
		const changed = await store.replaceThumbnail(asset, key, deps.now)
		if (!changed) continue
		await deleteCachedPlayable(asset.playbackId)
		if (before !== null) await deps.objects.media.delete(before)
		return changed
	}
	throw new AppError('conflict', 'another request changed this thumbnail; try again')
}
