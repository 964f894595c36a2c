import { sql } from 'drizzle-orm'
import { jobs, tasks } from '#schema/tables/video/transcoding.ts'
import { batch } from '../../../../platform/database/batch.ts'
import type { Db } from '../../../../platform/database/database.ts'
import { PROVIDER_LANE } from '../../../../video/transcoding/plan/lanes.ts'

/**
 * More than the epochs and runs that one task and one job get. Small, because the outputs of every lost epoch are purged.
 * A literal, because D1 binds numbers as floats.
 */
const EPOCHS = sql.raw('20')

export const jobRepairStore = (db: Db) => ({
	/** Requeues open tasks under epochs that no machine can hold. Calls to providers go on, since no machine runs them. */
	async raiseEpochs(now: number): Promise<number> {
		const { tasksRequeued } = await batch(db, {
			tasksRequeued: db
				.update(tasks)
				.set({
					state: 'queued',
					epoch: sql`${tasks.epoch} + ${EPOCHS}`,
					attempts: sql`${tasks.attempts} - (${tasks.state} = 'running')`,
					machineId: null,
					deadlineAt: null,
					dueAt: now,
					progress: 0,
				})
				// Matches the condition of the index `tasks_lane`.
				.where(sql`${tasks.state} in ('queued', 'running') and ${tasks.lane} <> ${PROVIDER_LANE}`)
				.returning({ one: sql<number>`1` }),
			jobsRaised: db
				.update(jobs)
				.set({ version: sql`${jobs.version} + ${EPOCHS}`, advanceAt: now })
				// Matches the condition of the index `jobs_waiting`.
				.where(sql`${jobs.status} in ('queued', 'processing')`),
		})
		return tasksRequeued.length
	},
})
