import { sql } from 'drizzle-orm'
import type { TaskSpec } from '#schema/contract/tasks.ts'
import { AppError } from '../http/errors.ts'
import { HOUR, SECOND } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { failJob } from './failing.ts'
import { abandonUpload, presignParts } from './large-output.ts'
import { mayStore, placeOf } from './places.ts'
import { backoffMs, MAX_ATTEMPTS } from './retry.ts'
import { taskStore } from './task-store.ts'

const URL_SECONDS = HOUR / SECOND

export type Holder = { taskId: string; epoch: number; machineId: string }
export type FoundTask = NonNullable<Awaited<ReturnType<ReturnType<typeof taskStore>['find']>>>

/**
 * Why a task is not, or not any more, the one that a machine holds. 410: it is over for everybody, so whatever was
 * begun for it ends at once. 409: somebody else has it, or may take it.
 */
export function lost(found: FoundTask | undefined): AppError {
	if (!found || found.task.state === 'cancelled' || found.task.state === 'failed')
		return new AppError('gone', 'this task is over')
	return new AppError('conflict', 'this task is not yours any more')
}

const isHolder = (found: FoundTask | undefined, { epoch, machineId }: Holder): found is FoundTask =>
	found?.task.epoch === epoch && found.task.machineId === machineId

/** The task, if it is at work and whoever asks is the one at work on it. */
export async function requireHeld({ db }: Deps, holder: Holder): Promise<FoundTask> {
	const found = await taskStore(db).find(holder.taskId)
	if (!isHolder(found, holder) || found.task.state !== 'running') throw lost(found)
	return found
}

/** Answers until when the task is held now. */
export async function renewLease(deps: Deps, holder: Holder, progress: number): Promise<number> {
	const { db, now } = deps
	const { taskId, epoch, machineId } = holder
	const until = now + deps.env.vars.LEASE_SECONDS * SECOND
	if (await taskStore(db).renew(taskId, epoch, machineId, progress, now, until)) return until
	const found = await taskStore(db).find(taskId)
	// It was late on its way, behind the completion: no reason to abort anything.
	if (isHolder(found, holder) && found.task.state === 'done') return until
	throw lost(found)
}

export async function presignOutputs(deps: Deps, holder: Holder, names: readonly string[]) {
	const { task, asset } = await requireHeld(deps, holder)
	const stranger = names.find((name) => !mayStore(task.spec as TaskSpec, name))
	if (stranger !== undefined)
		throw new AppError('validation', `names: ${stranger} is no output of this ${task.kind} task`)
	return Promise.all(
		names.map(async (name) => {
			const place = placeOf(task, asset.playbackId, name)
			const { url, headers } = await deps.objects.presign({
				...place,
				method: 'PUT',
				expiresSeconds: URL_SECONDS,
			})
			return { url, headers }
		}),
	)
}

export async function presignPartsOf(deps: Deps, holder: Holder, partNumbers: readonly number[]) {
	const { task, asset } = await requireHeld(deps, holder)
	return presignParts(deps, task, asset.playbackId, partNumbers)
}

/** The same machine may say the same twice: its task waits for the next try already, and by the same epoch. */
async function requireHeldOrPutBack({ db }: Deps, { taskId, epoch }: Holder) {
	const found = await taskStore(db).find(taskId)
	if (found?.task.epoch !== epoch || !['running', 'queued'].includes(found.task.state)) throw lost(found)
	return found
}

export async function releaseTask(deps: Deps, holder: Holder): Promise<void> {
	const { db, now } = deps
	const { task } = await requireHeldOrPutBack(deps, holder)
	if (task.state === 'queued') return
	if (task.machineId !== holder.machineId) throw lost({ task } as FoundTask)
	await db.batch([taskStore(db).putBack(task.id, task.epoch, now, 'released')])
	deps.defer(abandonUpload(deps, task))
}

export type Failure = { reason: 'permanent' | 'transient'; message: string; detail?: string | undefined }

export async function failTask(deps: Deps, holder: Holder, failure: Failure): Promise<void> {
	const { db, now } = deps
	const store = taskStore(db)
	const found = await store.find(holder.taskId)
	// Said twice, and what it led to has happened.
	if (found?.task.epoch === holder.epoch && ['queued', 'failed'].includes(found.task.state)) return
	if (!isHolder(found, holder) || found.task.state !== 'running') throw lost(found)
	const { task } = found
	const { reason, message, detail: log = null } = failure
	deps.log.info('task failed', { taskId: task.id, kind: task.kind, reason, reasonGiven: message })
	deps.defer(abandonUpload(deps, task))
	const note = { reason, message, log }
	if (reason === 'transient' && task.attempts < MAX_ATTEMPTS) {
		const dueAt = now + backoffMs(task.attempts, Math.random())
		await db.batch([
			store.putBack(task.id, task.epoch, dueAt, 'failed'),
			store.noteFailure(task, note, now, sql`changes() > 0`),
		])
		return
	}
	const said =
		reason === 'permanent' ? message : `Processing failed ${MAX_ATTEMPTS} times; the last time: ${message}`
	await failJob(deps, found, { message: said, note })
}
