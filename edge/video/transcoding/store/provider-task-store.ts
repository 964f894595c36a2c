import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { taskFailures, tasks } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { PROVIDER_LANE } from '../plan/lanes.ts'
import { isOpen, lanesTable, mayLaneRun } from './lanes.ts'
import type { TaskRow } from './task-row.ts'

const isProviderTask = eq(tasks.lane, PROVIDER_LANE)
/** SQL condition: the step still waits for the task. Otherwise no further call is made. */
const isNeeded = (alias: string) =>
	sql`exists (
		select 1 from ai_steps as step
		where step.asset_id = ${sql.raw(`${alias}.asset_id`)}
			and step.step = 'transcription'
			and step.status in ('pending', 'processing')
	)`

/** Queries about provider tasks. */
export const providerTaskStore = (db: Db) => ({
	/** Claims a due task, unless its organization is suspended. A duplicate message claims nothing. */
	async claim(id: string, now: number, leaseMs: number): Promise<TaskRow | undefined> {
		const [row] = await db
			.update(tasks)
			.set({
				state: 'running',
				epoch: sql`${tasks.epoch} + 1`,
				attempts: sql`${tasks.attempts} + 1`,
				machineId: null,
				dueAt: now + leaseMs,
				deadlineAt: now + leaseMs,
				startedAt: now,
				progress: 0,
			})
			.where(
				and(
					eq(tasks.id, id),
					isProviderTask,
					eq(tasks.state, 'queued'),
					sql`${tasks.dueAt} <= ${now}`,
					isNeeded('tasks'),
					mayLaneRun(sql`tasks.org_id`, sql`tasks.lane`),
				),
			)
			.returning()
		return row
	},

	/** Lists due tasks, by the lanes of organizations that are not suspended. */
	async listDue(now: number, limit: number): Promise<string[]> {
		const rows = await db.all<{ id: string }>(sql`
			with recursive ${lanesTable}
			select task.id from lanes
			cross join tasks as task on task.org_id = lanes.org_id and task.lane = lanes.lane
			where ${isOpen}
				and lanes.lane = ${PROVIDER_LANE}
				and task.state = 'queued'
				and task.due_at <= ${now}
				and ${isNeeded('task')}
				and ${mayLaneRun(sql`lanes.org_id`, sql`lanes.lane`)}
			limit ${limit}
		`)
		return rows.map(({ id }) => id)
	},

	/** Returns the start of each provider's longest wait. A resumed task counts from its resumption. */
	listWaits(): Promise<{ provider: string; since: number }[]> {
		return db.all(sql`
			with recursive ${lanesTable}
			select task.spec ->> 'engine' as "provider", min(max(task.created_at, step.started_at)) as "since"
			from lanes
			cross join tasks as task on task.org_id = lanes.org_id and task.lane = lanes.lane
			join ai_steps as step on step.asset_id = task.asset_id and step.step = 'transcription'
			where ${isOpen}
				and lanes.lane = ${PROVIDER_LANE}
				and task.state = 'queued'
				and step.status in ('pending', 'processing')
			group by 1
		`)
	},

	/** Cancels tasks that no provider has started. Completed ones stay, so that they are not paid again. */
	cancelQueuedStatement(assetId: string, now: number, condition: SQL) {
		return db
			.update(tasks)
			.set({ state: 'cancelled', endedAt: now })
			.where(and(eq(tasks.assetId, assetId), isProviderTask, eq(tasks.state, 'queued'), condition))
	},

	/** Requeues failed and cancelled tasks as new. */
	resumeStatement(assetId: string, now: number, condition: SQL) {
		return db
			.update(tasks)
			.set({ state: 'queued', attempts: 0, expiries: 0, dueAt: now, endedAt: null })
			.where(
				and(
					eq(tasks.assetId, assetId),
					isProviderTask,
					inArray(tasks.state, ['failed', 'cancelled']),
					condition,
				),
			)
	},

	/** Returns why a task failed. */
	async findFailure({ id, epoch }: Pick<TaskRow, 'id' | 'epoch'>): Promise<string | null> {
		const [row] = await db
			.select({ message: taskFailures.message })
			.from(taskFailures)
			.where(and(eq(taskFailures.taskId, id), eq(taskFailures.epoch, epoch)))
		return row?.message ?? null
	},
})
