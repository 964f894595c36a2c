import { batch } from '../../../platform/database/batch.ts'
import { queuePurges } from '../../../platform/storage/storage-purge.ts'
import { deleteCachedPlayable } from '../../assets/playable/playable.ts'
import { failTask } from '../jobs/failing.ts'
import { findOutputFolder } from '../machine-api/output-location.ts'
import { choosePosterFrame } from '../posters/poster-frame.ts'
import { POSTER_NAME, posterStore } from '../posters/store.ts'
import { isPlanned, jobStore } from '../store/job-store.ts'
import type { TaskRow } from '../store/task-row.ts'
import { hasFailed, hasFinished, taskStore } from '../store/task-store.ts'
import type { Kind } from './kind.ts'
import { presignReads } from './presign-reads.ts'

export const poster: Kind<'poster'> = {
	/** Finds the segment at claim time, because reprocessing replaces the segments while the task waits. */
	async withUrls(deps, { jobId }, spec, expiresSeconds) {
		const job = await jobStore(deps.db).find(jobId)
		const chosen = job && isPlanned(job) ? await choosePosterFrame(deps, job, spec.atSec) : null
		if (!chosen) throw new Error('the frame of a poster task is missing')
		return { ...chosen, video: await presignReads(deps, 'media', expiresSeconds)(chosen.video) }
	},

	async accept(deps, { task, asset }, _spec, result) {
		const { db, now } = deps
		const store = posterStore(db)
		const isDone = hasFinished(task)
		const key = findOutputFolder(task, asset.playbackId, 'media') + POSTER_NAME
		const { taskFinished } = await batch(db, {
			taskFinished: taskStore(db).finishStatement(task.id, task.epoch, result, now),
			replacedPurged: store.purgeReplacedStatement(task, now, isDone),
			thumbnailReplaced: store.replaceThumbnailStatement(task, key, isDone, now),
			unusedPurged: store.purgeUnusedStatement(task, listFolders(task, asset.playbackId), now, isDone),
		})
		await deleteCachedPlayable(asset.playbackId)
		deps.defer(queuePurges(deps))
		return { isDone: taskFinished.length === 1, isJobDue: false }
	},

	async fail(deps, failing) {
		const { db, now } = deps
		const { task, asset } = failing
		const store = posterStore(db)
		await failTask(deps, failing, {
			frameFailed: store.failStatement(task, hasFailed(task)),
			unusedPurged: store.purgeUnusedStatement(
				task,
				listFolders(task, asset.playbackId),
				now,
				hasFailed(task),
			),
		})
		deps.defer(queuePurges(deps))
	},
}

/** Returns the folders of all leases of a task. */
const listFolders = (task: TaskRow, playbackId: string): string[] =>
	Array.from({ length: task.epoch }, (_, index) =>
		findOutputFolder({ ...task, epoch: index + 1 }, playbackId, 'media'),
	)
