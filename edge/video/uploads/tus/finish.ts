import type { Uploader } from '../../../http/caller.ts'
import { AppError, diskFullError } from '../../../http/errors.ts'
import { HOUR } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { withdrawObject } from '../../../platform/storage/announced-objects.ts'
import { announceSource, findAsset, getAsset, receiveAnnounced } from '../../assets/assets.ts'
import type { UploadRecord } from './upload-ledger.ts'
import { requireUpload } from './upload-stub.ts'

type Target = Pick<Uploader, 'orgId' | 'assetId'>

/**
 * Makes a complete upload the source of its asset. The Worker may die after any step. The next request to the upload
 * repeats the steps; if none comes, the sweep deletes the stored object. A full disk does not end the upload: a later
 * request may find space.
 */
export async function finishUpload(
	deps: Deps,
	uploader: Target,
	record: UploadRecord,
): Promise<UploadRecord> {
	if (record.isFinished || record.offset !== record.lengthBytes) return record
	const upload = requireUpload(deps.env, uploader.assetId)
	const { id, key } = record
	try {
		await attachToAsset(deps, uploader, record)
	} catch (error) {
		if (!(error instanceof AppError) || error.code === 'insufficient_storage') throw error
		const asset = await findAsset(deps, uploader.orgId, uploader.assetId)
		// A concurrent request may have finished this upload: its object is the source and must not be deleted here.
		if (asset?.sourceKey !== key) {
			// The asset was deleted or has another source, which is final.
			await upload.end(id)
			await withdrawObject(deps, 'vault', key)
			throw error
		}
	}
	await upload.settle(key)
	return { ...record, isFinished: true }
}

async function attachToAsset(deps: Deps, { orgId, assetId }: Target, { id, key, expiresAt }: UploadRecord) {
	const asset = await getAsset(deps, orgId, assetId)
	if (asset.sourceKey === key) return
	// The sweep must not run before the upload expires: until then its sender may resume.
	await announceSource(deps, asset, key, expiresAt + HOUR)
	const stored = await requireUpload(deps.env, assetId).assemble(id, deps.now)
	if (stored === 'disk-full') throw diskFullError()
	if (!stored) throw new AppError('gone', 'the upload was cancelled; start a new one')
	const { etag: sourceEtag, sizeBytes: sourceSizeBytes } = stored
	await receiveAnnounced(deps, asset, { sourceKey: key, sourceEtag, sourceSizeBytes })
}
