import { directUploads } from '#schema/tables/video/direct-uploads.ts'
import { AppError } from '../../http/errors.ts'
import { MINUTE } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import type { DueRows } from '../../platform/work/due-rows.ts'
import { runOrLog } from '../../platform/work/sweep.ts'
import { isComplete } from '../uploads/chunks/progress.ts'
import { requireUpload } from '../uploads/tus/upload-stub.ts'
import { completeUpload } from './complete.ts'
import { UPLOAD_ID } from './direct-uploads.ts'
import { type DirectUploadRow, directUploadStore, isOrgOpen } from './store.ts'

const LEASE_MS = 10 * MINUTE
const FINISHED_AT_ONCE = 20

/** Uploads of a suspended organization wait until the suspension ends or their bytes expire. */
export const unfinishedUploads: DueRows = { at: directUploads.finishAt, isOpen: isOrgOpen }

/** Creates the assets of complete files whose last request was interrupted or failed on a full disk. */
export async function finishUnfinishedUploads(deps: Deps): Promise<void> {
	const lease = { now: deps.now, limit: FINISHED_AT_ONCE, leaseMs: LEASE_MS }
	const uploads = await directUploadStore(deps.db).claimUnfinished(unfinishedUploads, lease)
	for (const upload of uploads)
		await runOrLog(deps.log, 'finishing a direct upload failed', { uploadId: upload.id }, () =>
			finish(deps, upload),
		)
}

async function finish(deps: Deps, upload: DirectUploadRow): Promise<void> {
	const store = directUploadStore(deps.db)
	const record = await requireUpload(deps.env, upload.assetId).inspect(UPLOAD_ID, deps.now)
	if (isComplete(record))
		return completeUpload(deps, upload, record).catch((error: unknown) => {
			// Either the row contains the reason, or the disk is still full.
			if (!(error instanceof AppError)) throw error
		})
	// The browser has started another file, or the file has expired.
	if (record) await store.expectMore(upload.id)
	else await store.endStatement(upload.id, 'timed_out', deps.now)
}
