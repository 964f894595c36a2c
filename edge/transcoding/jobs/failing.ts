import { type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { eventPayload } from '../../assets/assets.ts'
import { markFailed } from '../../assets/moves.ts'
import { logVideo } from '../../assets/state-log.ts'
import type { AssetRow } from '../../assets/store.ts'
import type { Deps } from '../../platform/deps.ts'
import { recordEventIfChanged } from '../../platform/outbox/outbox.ts'
import { handOverPurges } from '../../platform/storage/storage-purge.ts'
import { abortUploads } from '../machine-api/large-output.ts'
import { type JobRow, jobStore } from '../store/job-store.ts'
import { type AdditionalCodec, additionalCodecOf, rankIn, tiers } from '../store/ranks.ts'
import {
	type BegunUpload,
	type FailureReason,
	hasFailed,
	type TaskRow,
	taskStore,
} from '../store/task-store.ts'

type Note = { reason: FailureReason; message: string; log: string | null }

type Failing = {
	/** The failed task, as long as it is leased and `blame` holds; null if no task failed. */
	task: TaskRow | null
	blame?: SQL
	job: Pick<JobRow, 'id'>
	asset: Pick<AssetRow, 'id' | 'orgId' | 'playbackId' | 'title'>
}

/** Leaves out an additional codec and continues the job without it. The outputs of the codec are deleted at the end. */
export async function leaveOut(
	deps: Deps,
	jobId: string,
	codec: AdditionalCodec,
	reason: string,
	{ blamed, condition }: { blamed: readonly BatchItem<'sqlite'>[]; condition?: SQL } = { blamed: [] },
): Promise<void> {
	const { db, now } = deps
	const isLeftOut = sql`exists (select 1 from jobs as reduced where reduced.id = ${jobId} and reduced.left_out ->> ${`$.${codec}`} is not null)`
	const leaveOutStatement = jobStore(db).leaveOut(jobId, codec, reason, now, condition)
	const [first, ...rest] = [
		...blamed,
		leaveOutStatement,
		taskStore(db).cancelTier(jobId, rankIn(tiers[codec], 0), now, isLeftOut),
	]
	if (first) await db.batch([first, ...rest])
	deps.log.warn('codec left out', { jobId, codec, reason })
	await deps.send({ type: 'job.advance', jobId })
}

/**
 * Ends a job that can't succeed. The asset gets the error unless it is already playable. Open tasks are cancelled and
 * unpublished outputs are deleted. A failed download or additional codec does not end the job. Returns whether it ended.
 */
export async function failJob(
	deps: Deps,
	{ task, blame, job, asset }: Failing,
	{ message, note }: { message: string; note: Note | null },
): Promise<boolean> {
	const { db, now } = deps
	const tasks = taskStore(db)
	const blamed: BatchItem<'sqlite'>[] = task
		? [
				tasks.giveUp(task.id, task.epoch, now, blame),
				...(note ? [tasks.noteFailure(task, note, now, sql`changes() > 0`)] : []),
			]
		: []
	const [first, ...rest] = blamed
	if (first && task?.kind === 'download') {
		const purgeStatement = jobStore(db).purgeDead(job.id, now, hasFailed(task))
		const [failedTasks] = await db.batch([first, ...rest, purgeStatement])
		deps.defer(abortUploads(deps, failedTasks as BegunUpload[]))
		deps.defer(handOverPurges(deps))
		return false
	}
	const codec = task && additionalCodecOf(task)
	if (codec) {
		await leaveOut(deps, job.id, codec, message, { blamed, condition: hasFailed(task) })
		return false
	}
	const store = jobStore(db)
	const isOver = sql`exists (select 1 from jobs as failed where failed.id = ${job.id} and failed.status = 'failed')`
	const isUnpublished = sql`exists (select 1 from jobs as failed where failed.id = ${job.id} and failed.status = 'failed' and failed.published_version = 0)`
	const payload = { ...eventPayload(asset), jobId: job.id, errorMessage: message }
	const failStatement = store.fail(job.id, message, now, task ? hasFailed(task) : undefined)
	const results: readonly unknown[] = await db.batch([
		...((first ? [first, ...rest, failStatement] : [failStatement]) as [BatchItem<'sqlite'>]),
		markFailed(db, asset, message, now, sql`changes() > 0`),
		recordEventIfChanged(db, now, { type: 'asset.error', orgId: asset.orgId, payload }),
		tasks.cancelOpen(job.id, now, isOver),
		store.purgeAll(job.id, now, isUnpublished),
		store.purgeDead(job.id, now, isOver),
		store.purgeOtherMasters(job.id, now, isOver),
	])
	const [ended, assetFailed, , cancelled] = results.slice(blamed.length) as BegunUpload[][]
	const failedTasks = (first ? results[0] : []) as BegunUpload[]
	deps.defer(abortUploads(deps, [...failedTasks, ...(cancelled ?? [])]))
	deps.defer(handOverPurges(deps))
	if (assetFailed?.length)
		logVideo(deps, 'failed', { assetId: asset.id, title: asset.title }, { reason: message })
	return ended?.length === 1
}
