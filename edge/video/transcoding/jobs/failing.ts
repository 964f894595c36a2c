import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { count } from '../../../platform/metrics/count.ts'
import { recordEventIfChangedStatement, recordEventIfStatement } from '../../../platform/outbox/outbox.ts'
import { queuePurges } from '../../../platform/storage/storage-purge.ts'
import { eventPayload } from '../../assets/assets.ts'
import { groupErrorMessage } from '../../assets/errors/error-fingerprint.ts'
import { countErrorIfChangedStatement } from '../../assets/errors/error-group-store.ts'
import { markFailedStatement } from '../../assets/moves.ts'
import { logVideo } from '../../assets/state-log.ts'
import type { AssetRow } from '../../assets/store.ts'
import { abortUploads } from '../machine-api/large-output.ts'
import { attemptsEnded, jobsEnded } from '../metrics.ts'
import { type AdditionalCodec, additionalCodec, isSpeechKind, rankIn, tiers } from '../plan/ranks.ts'
import { speechTaskEnded } from '../speech/speech-tasks.ts'
import { clipStore } from '../store/clip-store.ts'
import { type JobRow, jobStore } from '../store/job-store.ts'
import { clipsFolder } from '../store/output-folders.ts'
import {
	purgeAllStatement,
	purgeLostEpochsStatement,
	purgeOtherMastersStatement,
} from '../store/output-purges.ts'
import type { TaskRow } from '../store/task-row.ts'
import { type FailureReason, hasFailed, taskStore } from '../store/task-store.ts'
import { clipEnded } from './clip-tasks.ts'

export type Note = { reason: FailureReason; message: string; log: string | null }

type TaskFailing = {
	task: TaskRow
	/** The task fails only if this holds and it is still leased. */
	failCondition?: SQL | undefined
	note: Note | null
}

type Failing = {
	/** The task to fail, if it is still leased and `failCondition` holds; null to fail the job alone. */
	task: TaskRow | null
	failCondition?: SQL
	job: Pick<JobRow, 'id'>
	asset: Pick<AssetRow, 'id' | 'orgId' | 'playbackId' | 'title'>
}

const failTaskStatements = ({ db, now }: Deps, failing: TaskFailing | null) => ({
	taskFailed:
		failing && taskStore(db).failStatement(failing.task.id, failing.task.epoch, now, failing.failCondition),
	failureRecorded: failing?.note
		? taskStore(db).recordFailureStatement(failing.task, failing.note, now, sql`changes() > 0`)
		: null,
})

/** Counts the attempt if the task failed just now. */
function countFailure(deps: Deps, failing: TaskFailing | null, failed: readonly unknown[] | undefined): void {
	if (failing?.note && failed?.length)
		count(deps, attemptsEnded, { kind: failing.task.kind, outcome: failing.note.reason })
}

/** Leaves out an additional codec and continues the job without it. The outputs of the codec are deleted at the end. */
export async function leaveOut(
	deps: Deps,
	jobId: string,
	codec: AdditionalCodec,
	reason: string,
	failedTask: TaskFailing | null = null,
): Promise<void> {
	const { db, now } = deps
	const isLeftOut = sql`exists (select 1 from jobs as reduced where reduced.id = ${jobId} and reduced.left_out ->> ${`$.${codec}`} is not null)`
	const condition = failedTask ? hasFailed(failedTask.task) : undefined
	const { taskFailed } = await batch(db, {
		...failTaskStatements(deps, failedTask),
		codecLeftOut: jobStore(db).leaveOutStatement(jobId, codec, reason, now, condition),
		tasksCancelled: taskStore(db).cancelTierStatement(jobId, rankIn(tiers[codec], 0), now, isLeftOut),
	})
	countFailure(deps, failedTask, taskFailed)
	deps.log.warn('codec left out', { jobId, codec, reason })
	await deps.send({ type: 'job.advance', jobId })
}

/**
 * Ends a job that can't succeed. The asset gets the error unless it is already playable. Open tasks are cancelled and
 * unpublished outputs are deleted. A failed download or additional codec does not end the job. Returns whether it ended.
 */
export async function failJob(
	deps: Deps,
	{ task, failCondition, job, asset }: Failing,
	{ message, note }: { message: string; note: Note | null },
): Promise<boolean> {
	const { db, work, now } = deps
	const tasks = taskStore(db)
	const failedTask = task && { task, failCondition, note }
	if (task?.kind === 'download') {
		const { taskFailed } = await batch(db, {
			...failTaskStatements(deps, failedTask),
			purgesRecorded: purgeLostEpochsStatement(db, job.id, now, hasFailed(task)),
		})
		countFailure(deps, failedTask, taskFailed)
		deps.defer(abortUploads(deps, taskFailed ?? []))
		deps.defer(queuePurges(deps))
		return false
	}
	if (task?.kind === 'clip') {
		const { taskFailed } = await batch(db, {
			...failTaskStatements(deps, failedTask),
			clipFailed: clipStore(db).failStatement(task.id, hasFailed(task)),
			clipPurged: clipStore(db).purgeFailedStatement(clipsFolder(asset.playbackId), task, now),
			eventRecorded: recordEventIfStatement(work, clipEnded(task), hasFailed(task)),
		})
		countFailure(deps, failedTask, taskFailed)
		deps.defer(queuePurges(deps))
		return false
	}
	if (task && isSpeechKind(task.kind)) {
		const { taskFailed } = await batch(db, {
			...failTaskStatements(deps, failedTask),
			eventRecorded: recordEventIfStatement(work, speechTaskEnded(task), hasFailed(task)),
		})
		countFailure(deps, failedTask, taskFailed)
		return false
	}
	const codec = task && additionalCodec(task)
	if (codec) {
		await leaveOut(deps, job.id, codec, message, failedTask)
		return false
	}
	const store = jobStore(db)
	const isOver = sql`exists (select 1 from jobs as failed where failed.id = ${job.id} and failed.status = 'failed')`
	const isUnpublished = sql`exists (select 1 from jobs as failed where failed.id = ${job.id} and failed.status = 'failed' and failed.published_version = 0)`
	const payload = { ...eventPayload(asset), jobId: job.id, errorMessage: message }
	const group = await groupErrorMessage(message)
	const { taskFailed, jobFailed, assetFailed, tasksCancelled } = await batch(db, {
		...failTaskStatements(deps, failedTask),
		jobFailed: store.failStatement(job.id, message, now, task ? hasFailed(task) : undefined),
		assetFailed: markFailedStatement(
			db,
			asset,
			{ errorMessage: message, errorFingerprint: group.fingerprint },
			now,
			sql`changes() > 0`,
		),
		eventRecorded: recordEventIfChangedStatement(work, {
			type: 'asset.error',
			orgId: asset.orgId,
			payload,
		}),
		errorCounted: countErrorIfChangedStatement(db, group, now),
		tasksCancelled: tasks.cancelOpenStatement(job.id, now, isOver),
		outputsPurged: purgeAllStatement(db, job.id, now, isUnpublished),
		lostEpochsPurged: purgeLostEpochsStatement(db, job.id, now, isOver),
		mastersPurged: purgeOtherMastersStatement(db, job.id, now, isOver),
	})
	countFailure(deps, failedTask, taskFailed)
	if (jobFailed.length > 0) count(deps, jobsEnded, { outcome: 'failed' })
	deps.defer(abortUploads(deps, [...(taskFailed ?? []), ...tasksCancelled]))
	deps.defer(queuePurges(deps))
	if (assetFailed.length > 0)
		logVideo(deps, 'failed', { assetId: asset.id, title: asset.title }, { reason: message })
	return jobFailed.length === 1
}
