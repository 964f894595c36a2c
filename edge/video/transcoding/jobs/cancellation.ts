import { sql } from 'drizzle-orm'
import { AppError, notFoundError } from '../../../http/errors.ts'
import { type AuditDraft, auditIfChangedStatement } from '../../../platform/audit/audit.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { incrementCounter } from '../../../platform/metrics/count.ts'
import { recordEventIfChangedStatement } from '../../../platform/outbox/outbox.ts'
import { queuePurges } from '../../../platform/storage/storage-purge.ts'
import { getAsset, toEventPayload } from '../../assets/assets.ts'
import { returnStatements } from '../../assets/moves.ts'
import { deleteCachedPlayable } from '../../assets/playable/playable.ts'
import { logVideo } from '../../assets/state-log.ts'
import { abortUploads } from '../machine-api/large-output.ts'
import { jobsEnded } from '../metrics.ts'
import {
	cancellationStore,
	isCancelled,
	isCancelledUnpublished,
	isCancelledWhole,
} from '../store/cancellation-store.ts'
import { countEncodedStatement } from '../store/encoded-minutes.ts'
import { isTranscoding, isUnfinishedJob, jobStore } from '../store/job-store.ts'
import {
	purgeAllStatement,
	purgeLostEpochsStatement,
	purgeOtherMastersStatement,
} from '../store/output-purges.ts'
import { taskStore } from '../store/task-store.ts'
import { isOfJob } from '../store/tier-condition.ts'

const jobEndedError = (status: string) =>
	new AppError('conflict', `this job is already ${status}; only a job that has not ended can be cancelled`)

/** Cancels the job of an asset, if it has an unfinished one. Returns whether this call cancelled a job. */
export async function cancelProcessing(
	deps: Deps,
	orgId: string,
	assetId: string,
	entry: AuditDraft | null,
): Promise<boolean> {
	await getAsset(deps, orgId, assetId)
	const job = await jobStore(deps.db).findUnfinished(assetId)
	return job !== undefined && cancelJob(deps, orgId, job.id, entry)
}

/**
 * Cancels a job. Machines get 410 at their next call. Returns whether this call cancelled the job: a repeated call changes
 * nothing. Writes `entry` in the audit log with the change.
 */
export async function cancelJob(
	deps: Deps,
	orgId: string,
	jobId: string,
	entry: AuditDraft | null = null,
): Promise<boolean> {
	const { db } = deps
	const found = await cancellationStore(db).find(orgId, jobId)
	if (!found) throw notFoundError('job')
	if (isUnfinishedJob(found.job) && (await endJob(deps, found, entry))) return true
	const after = isUnfinishedJob(found.job) ? await jobStore(db).find(jobId) : found.job
	if (!after) throw notFoundError('job')
	if (after.status !== 'cancelled') throw jobEndedError(after.status)
	return false
}

type Found = NonNullable<Awaited<ReturnType<ReturnType<typeof cancellationStore>['find']>>>

async function endJob(deps: Deps, { job, asset }: Found, entry: AuditDraft | null): Promise<boolean> {
	const { db, work, now } = deps
	const { id } = job
	const isOver = isCancelled(id)
	const { jobCancelled, tasksCancelled } = await batch(db, {
		jobCancelled: cancellationStore(db).cancelStatement(id, now),
		// Each of the next three statements changes a row only if the one before it did.
		eventRecorded: recordEventIfChangedStatement(work, {
			type: 'asset.processing_cancelled',
			orgId: asset.orgId,
			payload: { ...toEventPayload(asset), jobId: id },
		}),
		entryWritten: entry && auditIfChangedStatement(work, entry),
		minutesCounted:
			job.durationSec === null
				? null
				: countEncodedStatement(
						db,
						asset.orgId,
						job.durationSec,
						now,
						sql`changes() > 0 and ${isCancelledWhole(id)}`,
					),
		// The asset may have a later job by now.
		assetReturned: returnStatements(db, asset, now, sql`${isOver} and not ${isTranscoding(asset.id)}`),
		// Downloads, speech and clips belong to the published asset, not to the job.
		tasksCancelled: taskStore(db).cancelOpenStatement(id, now, sql`${isOver} and ${isOfJob('tasks')}`),
		outputsPurged: purgeAllStatement(db, id, now, isCancelledUnpublished(id)),
		lostEpochsPurged: purgeLostEpochsStatement(db, id, now, isOver),
		mastersPurged: purgeOtherMastersStatement(db, id, now, isOver),
	})
	deps.defer(abortUploads(deps, tasksCancelled))
	deps.defer(queuePurges(deps))
	if (jobCancelled.length === 0) return false
	await deleteCachedPlayable(asset.playbackId)
	incrementCounter(deps, jobsEnded, { outcome: 'cancelled' })
	logVideo(deps, 'cancelled', { assetId: asset.id, title: asset.title })
	return true
}
