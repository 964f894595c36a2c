import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import { randomBase62 } from '../platform/ids.ts'
import { identifyImage } from '../platform/image-type.ts'
import { getAsset } from './assets.ts'
import { forgetPlayable } from './playable.ts'
import { mediaPrefix } from './storage-keys.ts'
import { type AssetRow, assetStore } from './store.ts'

/** Only when that many others changed the picture in the same moment. */
const TRIES = 8

export async function setThumbnail(
	deps: Deps,
	orgId: string,
	assetId: string,
	bytes: Uint8Array<ArrayBuffer>,
): Promise<AssetRow> {
	const type = identifyImage(bytes)
	if ('problem' in type) throw new AppError('validation', type.problem)
	const { playbackId } = await getAsset(deps, orgId, assetId)
	const { media } = deps.objects
	// A new key for each picture, so that every address of one may be kept for ever.
	const key = `${mediaPrefix(playbackId)}thumbnails/${randomBase62(16)}.${type.extension}`
	await media.put(key, bytes, { contentType: type.contentType })
	try {
		return await replaceThumbnail(deps, orgId, assetId, key)
	} catch (error) {
		await media.delete(key)
		throw error
	}
}

export const resetThumbnail = (deps: Deps, orgId: string, assetId: string): Promise<AssetRow> =>
	replaceThumbnail(deps, orgId, assetId, null)

/** Whoever replaces a picture deletes the one that was there, and no one else does. */
async function replaceThumbnail(
	deps: Deps,
	orgId: string,
	assetId: string,
	key: string | null,
): Promise<AssetRow> {
	const store = assetStore(deps.db)
	for (let i = 0; i < TRIES; i++) {
		const asset = await getAsset(deps, orgId, assetId)
		const before = asset.customThumbnailKey
		if (before === key) return asset
		const changed = await store.replaceThumbnail(asset, key, deps.now)
		if (!changed) continue
		await forgetPlayable(asset.playbackId)
		if (before !== null) await deps.objects.media.delete(before)
		return changed
	}
	throw new AppError('conflict', 'the picture is being changed by others; try again')
}
