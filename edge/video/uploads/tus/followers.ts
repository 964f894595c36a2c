import type { EventByType } from '#schema/contract/events.ts'
import type { MessageByType } from '#schema/contract/messages.ts'
import type { Deps } from '../../../platform/deps.ts'
import { findAsset } from '../../assets/assets.ts'
import { parseAssetId } from '../../assets/storage-keys.ts'
import { findUpload } from './upload-stub.ts'

/** Ends any other upload of an asset that received its source. */
export async function settleUpload(
	deps: Deps,
	{ orgId, payload }: EventByType<'asset.uploaded'>,
): Promise<void> {
	const { assetId } = payload
	const asset = await findAsset(deps, orgId, assetId)
	await findUpload(deps.env, assetId)?.settle(asset?.sourceKey ?? null)
}

export async function endDeletedUpload(deps: Deps, { payload }: EventByType<'asset.deleted'>): Promise<void> {
	await findUpload(deps.env, payload.assetId)?.end(null)
}

/** Must run before the sources of an asset are purged, so that no upload adds objects afterwards. */
export async function stopUploads(
	{ env }: Pick<Deps, 'env'>,
	{ bucket, prefix }: MessageByType<'storage.purge'>,
): Promise<void> {
	const assetId = bucket === 'vault' ? parseAssetId(prefix) : null
	if (assetId !== null) await findUpload(env, assetId)?.end(null)
}
