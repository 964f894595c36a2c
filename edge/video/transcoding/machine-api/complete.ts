import { type SQL, sql } from 'drizzle-orm'
import type { StoredObject, TaskResult, TaskSpec } from '#schema/contract/video/tasks.ts'
import { AppError } from '../../../http/errors.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { count } from '../../../platform/metrics/count.ts'
import { recordEventIfChangedStatement } from '../../../platform/outbox/outbox.ts'
import type { BucketName } from '../../../platform/storage/bucket.ts'
import { queuePurges } from '../../../platform/storage/storage-purge.ts'
import { addDownloadStatement } from '../../assets/moves.ts'
import { dropPlayable } from '../../assets/playable/playable.ts'
import { assetStore } from '../../assets/store.ts'
import { advanceSoon } from '../jobs/advance.ts'
import { attemptsEnded } from '../metrics.ts'
import { isSpeechKind } from '../plan/ranks.ts'
import { resultProblem, storedObjects } from '../plan/result-problem.ts'
import { speechTaskEnded } from '../speech/speech-tasks.ts'
import { hasOpenInTier, jobStore } from '../store/job-store.ts'
import { purgeLostEpochsStatement } from '../store/output-purges.ts'
import { renditionStore } from '../store/rendition-store.ts'
import type { TaskRow } from '../store/task-row.ts'
import { taskStore } from '../store/task-store.ts'
import { kindOfMachine } from './claim.ts'
import { acceptClip } from './clip-result.ts'
import { finishLarge } from './large-output.ts'
import { type FoundTask, type Holder, leaseLostError } from './leases.ts'
import { outputFolder, outputLocation } from './output-location.ts'

const rejectResult = (problem: string): never => {
	throw new AppError('validation', `result: ${problem}`)
}

/** Completes a task once. The same machine may repeat the call and gets the same response. */
export async function completeTask(deps: Deps, holder: Holder, result: TaskResult): Promise<void> {
	const { db } = deps
	const found = await taskStore(db).find(holder.taskId)
	if (isAccepted(found, holder)) return
	if (
		found?.task.state !== 'running' ||
		found.task.epoch !== holder.epoch ||
		found.task.machineId !== holder.machineId
	)
		throw leaseLostError(found)
	const { task, asset } = found
	const { spec } = task
	const problem = resultProblem(spec, result)
	if (problem) rejectResult(problem)
	await requireStored(deps, task, asset.playbackId, spec, result)
	if (await accept(deps, found, result))
		return count(deps, attemptsEnded, { kind: task.kind, outcome: 'done' })
	// While the objects were checked, another request of this machine completed the task, or the lease was lost.
	const after = await taskStore(db).find(holder.taskId)
	if (!isAccepted(after, holder)) throw leaseLostError(after)
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
		const reportedBytes = result.kind === 'fetch' ? result.sizeBytes : result.file.bytes
		const { sizeBytes } = await finishLarge(deps, task, playbackId, result.parts)
		if (sizeBytes !== reportedBytes)
			rejectResult(`${reportedBytes} bytes were reported, but ${sizeBytes} are stored`)
		return
	}
	const expected: Record<BucketName, StoredObject[]> = { media: [], vault: [] }
	for (const object of storedObjects(spec, result))
		expected[outputLocation(task, playbackId, object.name).bucket].push(object)
	for (const bucket of ['media', 'vault'] as const) {
		if (expected[bucket].length === 0) continue
		const stored = await listSizes(deps, bucket, outputFolder(task, playbackId, bucket))
		for (const { name, bytes } of expected[bucket])
			if (stored.get(name) !== bytes)
				rejectResult(`${name} has ${bytes} bytes, but ${stored.get(name) ?? 'none'} are stored`)
	}
}

/** Returns the sizes of all objects under a prefix. One list request covers 1000 objects. */
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
	const { db, work, now } = deps
	const jobs = jobStore(db)
	const tasks = taskStore(db)
	if (result.kind === 'download' && task.spec.kind === 'download') {
		const { key } = outputLocation(task, asset.playbackId, result.file.name)
		const { rung } = task.spec
		const isDone = sql`exists (select 1 from tasks as done where done.id = ${task.id} and done.epoch = ${task.epoch} and done.state = 'done')`
		const { taskFinished } = await batch(db, {
			taskFinished: tasks.finishStatement(task.id, task.epoch, result, now),
			downloadAdded: renditionStore(db).addDownloadIfChangedStatement(
				job.id,
				asset.id,
				rung,
				key,
				result.file.bytes,
			),
			// The best download is also recorded on the asset.
			bytesCounted:
				task.position === 0
					? addDownloadStatement(db, asset, { key, sizeBytes: result.file.bytes }, now, sql`changes() > 0`)
					: assetStore(db).addBytesStatement(asset, result.file.bytes, sql`changes() > 0`),
			purgesRecorded: purgeLostEpochsStatement(db, job.id, now, isDone),
		})
		await dropPlayable(asset.playbackId)
		deps.defer(queuePurges(deps))
		return taskFinished.length === 1
	}
	if (result.kind === 'clip') return acceptClip(deps, { task, asset }, result)
	if (isSpeechKind(task.kind)) {
		const { taskFinished } = await batch(db, {
			taskFinished: tasks.finishStatement(task.id, task.epoch, result, now),
			eventRecorded: recordEventIfChangedStatement(work, speechTaskEnded(task)),
		})
		return taskFinished.length === 1
	}
	const by = { workerKind: kindOfMachine(task.machineId ?? ''), hwAccelUsed: result.hwAccelUsed }
	const { taskFinished, workRecorded } = await batch(db, {
		taskFinished: tasks.finishStatement(task.id, task.epoch, result, now),
		workRecorded: jobs.recordWorkIfChangedStatement(
			job.id,
			by,
			needsAdvance(task, job.playback, result),
			now,
		),
	})
	if (taskFinished.length === 0) return false
	if (workRecorded[0]?.isDue) deps.defer(advanceSoon(deps, job.id))
	return true
}

/** Returns the condition for advancing the job. Chunks advance it only when the last one of them is complete. */
function needsAdvance(task: TaskRow, playback: 'complete' | 'early', result: TaskResult): SQL {
	if (result.kind === 'fetch' || result.kind === 'inspect' || usedOtherEncoder(task, result)) return sql`1`
	const kind = playback === 'early' ? task.kind : undefined
	return sql`not ${hasOpenInTier(task.jobId, task.rank, kind)}`
}

/** Checks whether a machine fell back to another encoder than the requested one. */
function usedOtherEncoder({ spec }: TaskRow, result: TaskResult): boolean {
	if (spec.kind !== 'video' || result.kind !== 'video') return false
	const { rungs } = spec
	return result.rungs.some((output, i) => rungs[i]?.encoder !== output.encoder)
}
