import { AppError } from '../../http/errors.ts'
import { batch } from '../../platform/database/batch.ts'
import { randomBase62 } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import type { CleanImage } from '../../platform/images/clean-image.ts'
import { listImageKeys } from '../../platform/images/variant-keys.ts'
import { getAsset } from './assets.ts'
import { endFrameRequestStatements } from './frame-request-store.ts'
import { deleteCachedPlayable } from './playable/playable.ts'
import { thumbnailFolder } from './storage-keys.ts'
import { type AssetRow, assetStore, hasNoFrameRequest } from './store.ts'

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
	const key = `${thumbnailFolder(playbackId)}${randomBase62(16)}.${image.extension}`
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

/** Replaces the thumbnail, and ends a request for a frame. Only the call that replaced it deletes the old object. */
async function replaceThumbnail(
	deps: Deps,
	orgId: string,
	assetId: string,
	key: string | null,
): Promise<AssetRow> {
	const { db, now } = deps
	for (let i = 0; i < MAX_TRIES; i++) {
		const asset = await getAsset(deps, orgId, assetId)
		const before = asset.customThumbnailKey
		if (before === key && asset.thumbnailFrame === null) return asset
		const {
			thumbnailReplaced: [changed],
		} = await batch(db, {
			thumbnailReplaced: assetStore(db).replaceThumbnailStatement(asset, key, now),
			requestEnded:
				asset.thumbnailFrame && endFrameRequestStatements(db, asset, now, hasNoFrameRequest(assetId)),
		})
		if (!changed) continue
		await deleteCachedPlayable(asset.playbackId)
		if (before !== null) await deps.objects.media.delete(listImageKeys(before))
		return changed
	}
	throw new AppError('conflict', 'another request changed this thumbnail; try again')
}
