import { type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { incrementCounter } from '../../../platform/metrics/count.ts'
import { recordEventIfChangedStatement } from '../../../platform/outbox/outbox.ts'
import { queuePurges } from '../../../platform/storage/storage-purge.ts'
import { toEventPayload } from '../../assets/assets.ts'
import { groupErrorMessage } from '../../assets/errors/error-fingerprint.ts'
import { countErrorIfChangedStatement } from '../../assets/errors/error-group-store.ts'
import { markFailedStatement } from '../../assets/moves.ts'
import { logVideo } from '../../assets/state-log.ts'
import type { AssetRow } from '../../assets/store.ts'
import { abortUploads } from '../machine-api/large-output.ts'
import { attemptsEnded, jobsEnded } from '../metrics.ts'
import { type AdditionalCodec, computeRank, tiers } from '../plan/ranks.ts'
import { type JobRow, jobStore } from '../store/job-store.ts'
import {
	purgeAllStatement,
	purgeLostEpochsStatement,
	purgeOtherMastersStatement,
} from '../store/output-purges.ts'
import type { TaskRow } from '../store/task-row.ts'
import { type FailureReason, hasFailed, taskStore } from '../store/task-store.ts'

export type Note = { reason: FailureReason; message: string; log: string | null }

export type FailingJob = {
	job: Pick<JobRow, 'id'>
	asset: Pick<AssetRow, 'id' | 'orgId' | 'playbackId' | 'title'>
}

/** A task that fails if it is still leased and `failCondition` holds. */
export type FailedTask = { task: TaskRow; failCondition?: SQL; note: Note }

const failTaskStatements = ({ db, now }: Deps, { task, failCondition, note }: FailedTask) => ({
	taskFailed: taskStore(db).failStatement(task.id, task.epoch, now, failCondition),
	failureRecorded: taskStore(db).recordFailureStatement(task, note, now, sql`changes() > 0`),
})

/** Counts the attempt if this statement failed the task. */
function countFailure(deps: Deps, { task, note }: FailedTask, taskFailed: readonly unknown[]): void {
	if (taskFailed.length > 0) incrementCounter(deps, attemptsEnded, { kind: task.kind, outcome: note.reason })
}

/** Fails a task that no job waits for, with its dependents. Returns the task if this call failed it. */
export async function failTask(
	deps: Deps,
	failed: FailedTask,
	dependents: Readonly<Record<string, BatchItem<'sqlite'>>>,
) {
	const { taskFailed } = await batch(deps.db, { ...failTaskStatements(deps, failed), ...dependents })
	countFailure(deps, failed, taskFailed)
	return taskFailed
}

/** Omits an additional codec and continues the job without it. The codec's outputs are deleted at the end. */
export async function omitCodec(
	deps: Deps,
	jobId: string,
	codec: AdditionalCodec,
	reason: string,
	failed?: FailedTask,
): Promise<void> {
	const { db, now } = deps
	const isLeftOut = sql`exists (
		select 1 from jobs as reduced
		where reduced.id = ${jobId} and reduced.left_out ->> ${`$.${codec}`} is not null
	)`
	const { taskFailed = [] } = await batch(db, {
		...(failed && failTaskStatements(deps, failed)),
		codecLeftOut: jobStore(db).omitCodecStatement(
			jobId,
			codec,
			reason,
			now,
			failed && hasFailed(failed.task),
		),
		tasksCancelled: taskStore(db).cancelTierStatement(jobId, computeRank(tiers[codec], 0), now, isLeftOut),
	})
	if (failed) countFailure(deps, failed, taskFailed)
	deps.log.warn('codec left out', { jobId, codec, reason })
	await deps.send({ type: 'job.advance', jobId })
}

/**
 * Ends a job that can't succeed, with the task that failed it. The asset gets the error unless it is already playable.
 * Open tasks are cancelled and unpublished outputs are deleted.
 */
export async function failJob(
	deps: Deps,
	{ job, asset }: FailingJob,
	message: string,
	failed?: FailedTask,
): Promise<void> {
	const { db, work, now } = deps
	const isOver = sql`
		exists (select 1 from jobs as failed where failed.id = ${job.id} and failed.status = 'failed')
	`
	const isUnpublished = sql`exists (
		select 1 from jobs as failed
		where failed.id = ${job.id} and failed.status = 'failed' and failed.published_version = 0
	)`
	const payload = { ...toEventPayload(asset), jobId: job.id, errorMessage: message }
	const group = await groupErrorMessage(message)
	const {
		taskFailed = [],
		jobFailed,
		assetFailed,
		tasksCancelled,
	} = await batch(db, {
		...(failed && failTaskStatements(deps, failed)),
		jobFailed: jobStore(db).failStatement(job.id, message, now, failed && hasFailed(failed.task)),
		assetFailed: markFailedStatement(
			db,
			asset,
			{ errorMessage: message, errorFingerprint: group.fingerprint },
			now,
			sql`changes() > 0`,
		),
		eventRecorded: recordEventIfChangedStatement(work, { type: 'asset.error', orgId: asset.orgId, payload }),
		errorCounted: countErrorIfChangedStatement(db, group, now),
		tasksCancelled: taskStore(db).cancelOpenStatement(job.id, now, isOver),
		outputsPurged: purgeAllStatement(db, job.id, now, isUnpublished),
		lostEpochsPurged: purgeLostEpochsStatement(db, job.id, now, isOver),
		mastersPurged: purgeOtherMastersStatement(db, job.id, now, isOver),
	})
	if (failed) countFailure(deps, failed, taskFailed)
	if (jobFailed.length > 0) incrementCounter(deps, jobsEnded, { outcome: 'failed' })
	deps.defer(abortUploads(deps, [...taskFailed, ...tasksCancelled]))
	deps.defer(queuePurges(deps))
	if (assetFailed.length > 0)
		logVideo(deps, 'failed', { assetId: asset.id, title: asset.title }, { reason: message })
}
