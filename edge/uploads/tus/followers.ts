import type { EventOf } from '#schema/contract/events.ts'
import type { MessageOf } from '#schema/contract/messages.ts'
import { findAsset } from '../../assets/assets.ts'
import { assetIdIn } from '../../assets/storage-keys.ts'
import type { Deps } from '../../platform/deps.ts'
import { findUpload } from './object-door.ts'

/** An asset that has its source takes no other: an upload that is still under way ends. */
export async function settleUpload(deps: Deps, { orgId, payload }: EventOf<'asset.uploaded'>): Promise<void> {
	const { assetId } = payload
	const asset = await findAsset(deps, orgId, assetId)
	await findUpload(deps.env, assetId)?.settle(asset?.sourceKey ?? null)
}

export async function endUploadOfDeleted(deps: Deps, { payload }: EventOf<'asset.deleted'>): Promise<void> {
	await findUpload(deps.env, payload.assetId)?.end(null)
}

/** Before the sources of an asset are purged. */
export async function stopUploads(
	{ env }: Pick<Deps, 'env'>,
	{ bucket, prefix }: MessageOf<'storage.purge'>,
): Promise<void> {
	const assetId = bucket === 'vault' ? assetIdIn(prefix) : null
	if (assetId !== null) await findUpload(env, assetId)?.end(null)
}
