import { type SQL, sql } from 'drizzle-orm'
import { HOUR } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { PROVIDER_LANE } from '../plan/lanes.ts'
import { providerTaskStore } from '../store/provider-task-store.ts'
import type { TaskRow } from '../store/task-row.ts'
import { taskStore } from '../store/task-store.ts'

/** Longer than any call stays open, so that no second one is paid while the first may still complete. */
const LEASE_MS = 2 * HOUR

/** Claims a due chunk for a provider. A duplicate message claims nothing. */
export const claimChunk = ({ db, now }: Deps, taskId: string): Promise<TaskRow | undefined> =>
	providerTaskStore(db).claim(taskId, now, LEASE_MS)

/** Lists chunks that are due for a provider. */
export const listDueChunks = ({ db, now }: Deps, limit: number): Promise<string[]> =>
	providerTaskStore(db).listDue(now, limit)

/** Returns the start of each provider's longest wait. */
export const listChunkWaits = ({ db }: Pick<Deps, 'db'>) => providerTaskStore(db).listWaits()

/** Returns a chunk while this claim is valid; null after it ended or was superseded. */
export async function findClaimedChunk(
	{ db }: Pick<Deps, 'db'>,
	taskId: string,
	epoch: number,
): Promise<TaskRow | null> {
	const task = (await taskStore(db).find(taskId))?.task
	const isClaimed = task?.epoch === epoch && task.state === 'running' && task.lane === PROVIDER_LANE
	return isClaimed ? task : null
}

/** Requeues a chunk for later, and records why. Only a `failed` attempt counts. */
export async function postponeChunk(
	{ db, now, clock }: Deps,
	task: TaskRow,
	{ ms, how, message }: { ms: number; how: 'failed' | 'released'; message: string },
): Promise<void> {
	const store = taskStore(db)
	await batch(db, {
		taskQueued: store.requeueStatement(task.id, task.epoch, clock() + ms, how),
		failureRecorded: store.recordFailureStatement(
			task,
			{ reason: 'transient', message, log: null },
			now,
			sql`changes() > 0`,
		),
	})
}

/** Returns why a provider failed at a chunk. */
export const findChunkFailure = (
	{ db }: Pick<Deps, 'db'>,
	task: Pick<TaskRow, 'id' | 'epoch'>,
): Promise<string | null> => providerTaskStore(db).findFailure(task)

/** Cancels chunks that no provider has started. Completed ones stay, so that they are not paid again. */
export const cancelChunksStatement = (
	{ db, now }: Pick<Deps, 'db' | 'now'>,
	assetId: string,
	condition: SQL,
) => providerTaskStore(db).cancelQueuedStatement(assetId, now, condition)

/** Queues the chunks that failed or were cancelled again. */
export const resumeChunksStatement = (
	{ db, now }: Pick<Deps, 'db' | 'now'>,
	assetId: string,
	condition: SQL,
) => providerTaskStore(db).resumeStatement(assetId, now, condition)
