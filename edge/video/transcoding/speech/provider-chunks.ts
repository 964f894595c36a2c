import { type SQL, sql } from 'drizzle-orm'
import { HOUR } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { PROVIDER_LANE } from '../plan/lanes.ts'
import { providerTaskStore } from '../store/provider-task-store.ts'
import type { TaskRow } from '../store/task-row.ts'
import { taskStore } from '../store/task-store.ts'

/** Longer than any call stays open, so that no second one is paid while the first may still be answered. */
const LEASE_MS = 2 * HOUR

/** Claims a chunk that is due for a provider. A second message about it claims nothing. */
export const claimChunk = ({ db, now }: Deps, taskId: string): Promise<TaskRow | undefined> =>
	providerTaskStore(db).claim(taskId, now, LEASE_MS)

/** Lists chunks that are due for a provider. */
export const listDueChunks = ({ db, now }: Deps, limit: number): Promise<string[]> =>
	providerTaskStore(db).listDue(now, limit)

/** Returns for each provider since when its oldest chunk waits. */
export const listChunkWaits = ({ db }: Pick<Deps, 'db'>) => providerTaskStore(db).listWaits()

/** Returns a chunk while a claim holds it; null if the claim has ended, or a newer one came. */
export async function findClaimedChunk(
	{ db }: Pick<Deps, 'db'>,
	taskId: string,
	epoch: number,
): Promise<TaskRow | null> {
	const task = (await taskStore(db).find(taskId))?.task
	const isClaimed = task?.epoch === epoch && task.state === 'running' && task.lane === PROVIDER_LANE
	return isClaimed ? task : null
}

/** Returns a chunk to its queue for later, and records why. Only a `failed` attempt counts. */
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

/** Cancels the chunks that no provider has begun. What is done stays, so that it is not paid again. */
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
