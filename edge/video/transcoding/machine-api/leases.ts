import { sql } from 'drizzle-orm'
import { AppError } from '../../../http/errors.ts'
import { HOUR, SECOND } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { incrementCounter } from '../../../platform/metrics/count.ts'
import { computeBackoffMs } from '../../../platform/work/backoff.ts'
import { failTaskFinally } from '../kinds/kinds.ts'
import { attemptsEnded } from '../metrics.ts'
import { MAX_ATTEMPTS, RETRY } from '../plan/retry.ts'
import { type FoundTask, taskStore } from '../store/task-store.ts'
import { abandonUpload, presignParts } from './large-output.ts'
import { findOutputLocation, isExpectedOutput } from './output-location.ts'

const URL_SECONDS = HOUR / SECOND

/** The holder of a lease; `machineId` is null for provider tasks, which the Worker holds. */
export type Holder = { taskId: string; epoch: number; machineId: string | null }

/**
 * Explains why a machine has no lease. 410: the task has ended, so the machine stops immediately. 409: another
 * machine has the task or may claim it.
 */
export function leaseLostError(found: FoundTask | undefined): AppError {
	if (!found || found.task.state === 'cancelled' || found.task.state === 'failed')
		return new AppError('gone', 'this task has ended; stop working on it')
	return new AppError('conflict', 'this machine has no lease of the task; stop working on it')
}

const isHolder = (found: FoundTask | undefined, { epoch, machineId }: Holder): found is FoundTask =>
	found?.task.epoch === epoch && found.task.machineId === machineId

/** Returns the task if it is running on the calling machine. */
export async function requireLease({ db }: Deps, holder: Holder): Promise<FoundTask> {
	const found = await taskStore(db).find(holder.taskId)
	if (!isHolder(found, holder) || found.task.state !== 'running') throw leaseLostError(found)
	return found
}

/** Renews the lease and returns its new expiry. */
export async function renewLease(
	deps: Deps,
	holder: Holder & { machineId: string },
	progress: number,
): Promise<number> {
	const { db, now } = deps
	const { taskId, epoch, machineId } = holder
	const until = now + deps.env.vars.LEASE_SECONDS * SECOND
	if (await taskStore(db).renew(taskId, epoch, machineId, progress, now, until)) return until
	const found = await taskStore(db).find(taskId)
	// The renewal arrived after the completion, so nothing must be aborted.
	if (isHolder(found, holder) && found.task.state === 'done') return until
	throw leaseLostError(found)
}

export async function presignOutputs(deps: Deps, holder: Holder, names: readonly string[]) {
	const { task, asset } = await requireLease(deps, holder)
	const unexpected = names.find((name) => !isExpectedOutput(task.spec, name))
	if (unexpected !== undefined)
		throw new AppError('validation', `names: ${unexpected} is not an output of this ${task.kind} task`)
	return Promise.all(
		names.map(async (name) => {
			const location = findOutputLocation(task, asset.playbackId, name)
			const { url, headers } = await deps.objects.presign({
				...location,
				method: 'PUT',
				expiresSeconds: URL_SECONDS,
			})
			return { url, headers }
		}),
	)
}

export async function presignLeasedParts(deps: Deps, holder: Holder, partNumbers: readonly number[]) {
	const { task, asset } = await requireLease(deps, holder)
	return presignParts(deps, task, asset.playbackId, partNumbers)
}

/** Returns a task that is running or already requeued under the same epoch, since a machine may repeat a call. */
async function requireLeaseOrRequeued({ db }: Deps, { taskId, epoch }: Holder) {
	const found = await taskStore(db).find(taskId)
	if (found?.task.epoch !== epoch || !['running', 'queued'].includes(found.task.state))
		throw leaseLostError(found)
	return found
}

export async function releaseTask(deps: Deps, holder: Holder): Promise<void> {
	const { db, now } = deps
	const found = await requireLeaseOrRequeued(deps, holder)
	const { task } = found
	if (task.state === 'queued') return
	if (task.machineId !== holder.machineId) throw leaseLostError(found)
	const { taskReleased } = await batch(db, {
		taskReleased: taskStore(db).requeueStatement(task.id, task.epoch, now, 'released'),
	})
	if (taskReleased.length > 0) incrementCounter(deps, attemptsEnded, { kind: task.kind, outcome: 'released' })
	deps.defer(abandonUpload(deps, task))
}

export type Failure = { reason: 'permanent' | 'transient'; message: string; detail?: string | undefined }

export async function failTask(deps: Deps, holder: Holder, failure: Failure): Promise<void> {
	const { db, now } = deps
	const store = taskStore(db)
	const found = await store.find(holder.taskId)
	// A repeated report has no further effect.
	if (found?.task.epoch === holder.epoch && ['queued', 'failed'].includes(found.task.state)) return
	if (!isHolder(found, holder) || found.task.state !== 'running') throw leaseLostError(found)
	const { task } = found
	const { reason, message, detail: log = null } = failure
	deps.log.info('task failed', { taskId: task.id, kind: task.kind, reason, reasonGiven: message })
	deps.defer(abandonUpload(deps, task))
	const note = { reason, message, log }
	if (reason === 'transient' && task.attempts < MAX_ATTEMPTS) {
		const dueAt = now + Math.round(computeBackoffMs(RETRY, task.attempts) * Math.random())
		const { taskRequeued } = await batch(db, {
			taskRequeued: store.requeueStatement(task.id, task.epoch, dueAt, 'failed'),
			failureRecorded: store.recordFailureStatement(task, note, now, sql`changes() > 0`),
		})
		if (taskRequeued.length > 0) incrementCounter(deps, attemptsEnded, { kind: task.kind, outcome: reason })
		return
	}
	const jobMessage =
		reason === 'permanent' ? message : `processing failed ${MAX_ATTEMPTS} times; last error: ${message}`
	await failTaskFinally(deps, { ...found, note }, jobMessage)
}
