import { type SQL, sql } from 'drizzle-orm'
import type { StoredObject, TaskResult, TaskSpec } from '#schema/contract/tasks.ts'
import { addDownload } from '../assets/moves.ts'
import { forgetPlayable } from '../assets/playable.ts'
import { assetStore } from '../assets/store.ts'
import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import type { BucketName } from '../platform/object-storage.ts'
import { handOverPurges } from '../platform/storage-purge.ts'
import { advanceSoon } from './advance.ts'
import { kindOfMachine } from './claim.ts'
import { hasOpenInTier, jobStore } from './job-store.ts'
import { finishLarge } from './large-output.ts'
import { type FoundTask, type Holder, lost } from './leases.ts'
import { folderOf, jobFolders, placeOf } from './places.ts'
import { resultProblem, storedObjects } from './result-problem.ts'
import { type TaskRow, taskStore } from './task-store.ts'

const refuse = (problem: string): never => {
	throw new AppError('validation', `result: ${problem}`)
}

/** One completion of a task is accepted, ever; the one who made it may ask again and hears the same. */
export async function completeTask(deps: Deps, holder: Holder, result: TaskResult): Promise<void> {
	const { db } = deps
	const found = await taskStore(db).find(holder.taskId)
	if (isAccepted(found, holder)) return
	if (
		found?.task.state !== 'running' ||
		found.task.epoch !== holder.epoch ||
		found.task.machineId !== holder.machineId
	)
		throw lost(found)
	const { task, asset } = found
	const spec = task.spec as TaskSpec
	const problem = resultProblem(spec, result)
	if (problem) refuse(problem)
	await requireStored(deps, task, asset.playbackId, spec, result)
	if (await accept(deps, found, result)) return
	// It was completed by another request of this machine, or lost, while the objects were looked at.
	const after = await taskStore(db).find(holder.taskId)
	if (!isAccepted(after, holder)) throw lost(after)
}

const isAccepted = (found: FoundTask | undefined, { epoch, machineId }: Holder): boolean =>
	found?.task.epoch === epoch && found.task.machineId === machineId && found.task.state === 'done'

async function requireStored(
	deps: Deps,
	task: TaskRow,
	playbackId: string,
	spec: TaskSpec,
	result: TaskResult,
): Promise<void> {
	if (result.kind === 'fetch' || (result.kind === 'download' && result.parts.length > 0)) {
		const claimed = result.kind === 'fetch' ? result.sizeBytes : result.file.bytes
		const { sizeBytes } = await finishLarge(deps, task, playbackId, result.parts)
		if (sizeBytes !== claimed) refuse(`${claimed} bytes were to be stored, ${sizeBytes} are`)
		return
	}
	const expected: Record<BucketName, StoredObject[]> = { media: [], vault: [] }
	for (const object of storedObjects(spec, result))
		expected[placeOf(task, playbackId, object.name).bucket].push(object)
	const folders = jobFolders(playbackId, task.assetId, task.jobId)
	for (const bucket of ['media', 'vault'] as const) {
		if (expected[bucket].length === 0) continue
		const stored = await listSizes(deps, bucket, `${folders[bucket]}${folderOf(task)}/`)
		for (const { name, bytes } of expected[bucket])
			if (stored.get(name) !== bytes)
				refuse(`${name} has ${bytes} bytes, of which ${stored.get(name) ?? 'none'} are stored`)
	}
}

/** Of what was stored under a prefix: one request for a thousand objects, where each of them would take one. */
async function listSizes(
	{ objects }: Deps,
	bucket: BucketName,
	prefix: string,
): Promise<Map<string, number>> {
	const sizes = new Map<string, number>()
	let cursor: string | null = null
	do {
		const page = await objects[bucket].list(prefix, cursor)
		for (const { key, sizeBytes } of page.objects) sizes.set(key.slice(prefix.length), sizeBytes)
		cursor = page.cursor
	} while (cursor !== null)
	return sizes
}

async function accept(deps: Deps, { task, job, asset }: FoundTask, result: TaskResult): Promise<boolean> {
	const { db, now } = deps
	const jobs = jobStore(db)
	const finish = taskStore(db).finish(task.id, task.epoch, result, now)
	if (result.kind === 'download') {
		const { key } = placeOf(task, asset.playbackId, result.file.name)
		const { rung } = task.spec as Extract<TaskSpec, { kind: 'download' }>
		const isDone = sql`exists (select 1 from tasks as done where done.id = ${task.id} and done.epoch = ${task.epoch} and done.state = 'done')`
		const [done] = await db.batch([
			finish,
			jobs.addDownloadIfChanged(job.id, asset.id, rung, key, result.file.bytes),
			// Of the best one the asset knows itself.
			task.position === 0
				? addDownload(db, asset, { key, sizeBytes: result.file.bytes }, now, sql`changes() > 0`)
				: assetStore(db).addBytes(asset, result.file.bytes, sql`changes() > 0`),
			jobs.purgeDead(job.id, now, isDone),
		])
		await forgetPlayable(asset.playbackId)
		deps.defer(handOverPurges(deps))
		return done.length === 1
	}
	const by = { workerKind: kindOfMachine(task.machineId ?? ''), hwAccelUsed: result.hwAccelUsed }
	const [done, noted] = await db.batch([
		finish,
		jobs.noteWorkIfChanged(job.id, by, turnsPoint(task, job.playback, result), now),
	])
	if (done.length === 0) return false
	if (noted[0]?.isDue) deps.defer(advanceSoon(deps, job.id))
	return true
}

/** Whether there is something to decide now; between two chunks of many there is not. */
function turnsPoint(task: TaskRow, playback: 'complete' | 'early', result: TaskResult): SQL {
	if (result.kind === 'fetch' || result.kind === 'inspect' || usedOtherEncoder(task, result)) return sql`1`
	const kind = playback === 'early' ? task.kind : undefined
	return sql`not ${hasOpenInTier(task.jobId, task.rank, kind)}`
}

/** A machine fell back to another one than was asked for. */
function usedOtherEncoder({ spec }: TaskRow, result: TaskResult): boolean {
	const { kind, ...rest } = spec as TaskSpec
	if (kind !== 'video' || result.kind !== 'video') return false
	const { rungs } = rest as Extract<TaskSpec, { kind: 'video' }>
	return result.rungs.some((made, i) => rungs[i]?.encoder !== made.encoder)
}
