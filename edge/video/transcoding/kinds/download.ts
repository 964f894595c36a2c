import { sql } from 'drizzle-orm'
import { batch } from '../../../platform/database/batch.ts'
import { queuePurges } from '../../../platform/storage/storage-purge.ts'
import { addDownloadStatement } from '../../assets/moves.ts'
import { deleteCachedPlayable } from '../../assets/playable/playable.ts'
import { assetStore } from '../../assets/store.ts'
import { failTask } from '../jobs/failing.ts'
import { listDownloadKeys } from '../machine-api/download-keys.ts'
import { abortUploads } from '../machine-api/large-output.ts'
import { findOutputLocation } from '../machine-api/output-location.ts'
import { jobStore } from '../store/job-store.ts'
import { purgeLostEpochsStatement } from '../store/output-purges.ts'
import { renditionStore } from '../store/rendition-store.ts'
import { hasFailed, hasFinished, taskStore } from '../store/task-store.ts'
import type { Kind } from './kind.ts'
import { presignReads } from './presign-reads.ts'

export const download: Kind<'download'> = {
	/** Finds the segments at claim time; a long video has too many to store their keys in the spec. */
	async withUrls(deps, { jobId }, spec, expiresSeconds) {
		const [job, rows] = await Promise.all([
			jobStore(deps.db).find(jobId),
			taskStore(deps.db).listByJob(jobId),
		])
		if (!job) throw new Error('a task has no job')
		const { video, audio } = listDownloadKeys(job, rows, spec.rung)
		const sign = presignReads(deps, 'media', expiresSeconds)
		return { ...spec, video: await sign(video), audio: await sign(audio) }
	},

	async accept(deps, { task, job, asset }, { rung }, result) {
		const { db, now } = deps
		const { bytes, name } = result.file
		const { key } = findOutputLocation(task, asset.playbackId, name)
		const { taskFinished } = await batch(db, {
			taskFinished: taskStore(db).finishStatement(task.id, task.epoch, result, now),
			downloadAdded: renditionStore(db).addDownloadIfChangedStatement(job.id, asset.id, rung, key, bytes),
			// The best download is also recorded on the asset.
			bytesCounted:
				task.position === 0
					? addDownloadStatement(db, asset, { key, sizeBytes: bytes }, now, sql`changes() > 0`)
					: assetStore(db).addBytesStatement(asset, bytes, sql`changes() > 0`),
			purgesRecorded: purgeLostEpochsStatement(db, job.id, now, hasFinished(task)),
		})
		await deleteCachedPlayable(asset.playbackId)
		deps.defer(queuePurges(deps))
		return { isDone: taskFinished.length === 1, isJobDue: false }
	},

	async fail(deps, failing) {
		const { task, job } = failing
		const failed = await failTask(deps, failing, {
			purgesRecorded: purgeLostEpochsStatement(deps.db, job.id, deps.now, hasFailed(task)),
		})
		deps.defer(abortUploads(deps, failed))
		deps.defer(queuePurges(deps))
	},
}
