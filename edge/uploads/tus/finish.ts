import { announceSource, findAsset, getAsset, receiveAnnounced } from '../../assets/assets.ts'
import type { Uploader } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { withdrawObject } from '../../platform/announced-objects.ts'
import { HOUR } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { requireUpload } from './object-door.ts'
import type { UploadRecord } from './upload-ledger.ts'

/**
 * Makes an upload whose last byte is there the source of its asset. Each step may be the last one that this Worker
 * takes: the next request to the upload takes them again, and when none comes, the sweep deletes what was stored.
 */
export async function finishUpload(
	deps: Deps,
	uploader: Uploader,
	record: UploadRecord,
): Promise<UploadRecord> {
	if (record.isFinished || record.offset !== record.lengthBytes) return record
	const upload = requireUpload(deps.env, uploader.assetId)
	const { id, key } = record
	try {
		await receive(deps, uploader, record)
	} catch (error) {
		if (!(error instanceof AppError)) throw error
		const asset = await findAsset(deps, uploader.orgId, uploader.assetId)
		// Two finish it at once: what the other one stored is the source, and must not be deleted here.
		if (asset?.sourceKey !== key) {
			// The asset is gone or has another source, which will not change.
			await upload.end(id)
			await withdrawObject(deps, 'vault', key)
			throw error
		}
	}
	await upload.settle(key)
	return { ...record, isFinished: true }
}

async function receive(deps: Deps, { orgId, assetId }: Uploader, { id, key, expiresAt }: UploadRecord) {
	const asset = await getAsset(deps, orgId, assetId)
	if (asset.sourceKey === key) return
	// Not before the upload is over: until then its sender may come back.
	await announceSource(deps, asset, key, expiresAt + HOUR)
	const stored = await requireUpload(deps.env, assetId).assemble(id, deps.now)
	if (!stored) throw new AppError('gone', 'the upload was given up meanwhile; begin again')
	const { etag: sourceEtag, sizeBytes: sourceSizeBytes } = stored
	await receiveAnnounced(deps, asset, { sourceKey: key, sourceEtag, sourceSizeBytes })
}
