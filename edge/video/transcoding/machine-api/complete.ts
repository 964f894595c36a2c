import type { StoredObject, TaskResult, TaskSpec } from '#schema/contract/video/tasks.ts'
import { AppError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { incrementCounter } from '../../../platform/metrics/count.ts'
import type { BucketName } from '../../../platform/storage/bucket.ts'
import { queueAdvance } from '../jobs/advance.ts'
import { acceptResult } from '../kinds/kinds.ts'
import { attemptsEnded } from '../metrics.ts'
import { findResultProblem, listStoredObjects } from '../plan/result-problem.ts'
import type { TaskRow } from '../store/task-row.ts'
import { type FoundTask, taskStore } from '../store/task-store.ts'
import { completeLargeOutput } from './large-output.ts'
import { type Holder, leaseLostError } from './leases.ts'
import { findOutputFolder, findOutputLocation } from './output-location.ts'

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
	const problem = findResultProblem(spec, result)
	if (problem) rejectResult(problem)
	await requireStored(deps, task, asset.playbackId, spec, result)
	const { isDone, isJobDue } = await acceptResult(deps, found, result)
	if (isDone) {
		incrementCounter(deps, attemptsEnded, { kind: task.kind, outcome: 'done' })
		if (isJobDue) deps.defer(queueAdvance(deps, found.job.id))
		return
	}
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
		const { sizeBytes } = await completeLargeOutput(deps, task, playbackId, result.parts)
		if (sizeBytes !== reportedBytes)
			rejectResult(`${reportedBytes} bytes were reported, but ${sizeBytes} are stored`)
		return
	}
	const expected: Record<BucketName, StoredObject[]> = { media: [], vault: [] }
	for (const object of listStoredObjects(spec, result))
		expected[findOutputLocation(task, playbackId, object.name).bucket].push(object)
	for (const bucket of ['media', 'vault'] as const) {
		if (expected[bucket].length === 0) continue
		const stored = await listSizes(deps, bucket, findOutputFolder(task, playbackId, bucket))
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
