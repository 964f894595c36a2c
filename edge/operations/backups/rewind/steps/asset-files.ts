import { AppError } from '../../../../http/errors.ts'
import type { Deps } from '../../../../platform/deps.ts'
import type { BucketName } from '../../../../platform/storage/bucket.ts'
import { deleteAsset, removeTrashedAsset } from '../../../../video/assets/removal.ts'
import { mediaPrefix, sourcePrefix } from '../../../../video/assets/storage-keys.ts'
import { trashStore } from '../../../../video/assets/trash/store.ts'
import { processAsset } from '../../../../video/transcoding/jobs/process.ts'
import { assetFileStore, type StoredAsset } from './asset-file-store.ts'

/**
 * Repairs an asset whose files may be gone. One without any files was deleted after the backup, and is deleted again. One
 * that was processed again since then has the files of a later job only, and is processed again.
 */
export async function repairAssetFiles(deps: Deps, assetId: string): Promise<void> {
	const asset = await assetFileStore(deps.db).find(assetId)
	if (!asset) return removeFromTrash(deps, assetId)
	if (asset.status === 'created') return
	const hasSource = await hasObjects(deps, 'vault', sourcePrefix(asset.id))
	if (!hasSource && !(await hasObjects(deps, 'media', mediaPrefix(asset.playbackId))))
		await deleteAsset(deps, asset.orgId, asset.id)
	else if (asset.status === 'ready' && asset.job && hasSource && !(await hasPublishedFiles(deps, asset)))
		await processAgain(deps, asset)
}

/** An asset that was in the trash at the time of the backup can't be restored without files. */
async function removeFromTrash(deps: Deps, assetId: string): Promise<void> {
	const trashed = await trashStore(deps.db).findById(assetId)
	if (!trashed || trashed.status === 'created') return
	if (await hasObjects(deps, 'vault', sourcePrefix(trashed.id))) return
	if (await hasObjects(deps, 'media', mediaPrefix(trashed.playbackId))) return
	await removeTrashedAsset(deps, trashed)
}

const hasObjects = async ({ objects }: Deps, bucket: BucketName, prefix: string): Promise<boolean> =>
	(await objects[bucket].list(prefix, null, 1)).objects.length > 0

const hasPublishedFiles = (deps: Deps, { playbackId, job }: StoredAsset): Promise<boolean> =>
	hasObjects(deps, 'media', `${mediaPrefix(playbackId)}${job?.id}/`)

async function processAgain(deps: Deps, { id, org, job }: StoredAsset): Promise<void> {
	if (!job) return
	try {
		await processAsset(deps, org, id, { aiOptions: job.aiOptions, playback: job.playback })
	} catch (error) {
		if (!(error instanceof AppError)) throw error
		deps.log.error('a video whose files are gone could not be processed again', error, { assetId: id })
	}
}
