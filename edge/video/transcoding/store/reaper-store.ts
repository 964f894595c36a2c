import { and, asc, eq, inArray, isNotNull, lt, lte, not, sql } from 'drizzle-orm'
import { jobs, taskFailures, tasks } from '#schema/tables/video/transcoding.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/database/database.ts'
import { couldNotBeginSince } from '../../../platform/suspension.ts'
import { sweepRows } from '../../../platform/work/sweep.ts'
import { type AdditionalCodec, findAdditionalCodec } from '../plan/ranks.ts'
import { isUnfinished } from './job-store.ts'
import type { TaskRow } from './task-row.ts'

/** Finds jobs whose request must have died: the one that completes a task advances its job immediately. */
export const stalledSweep = sweepRows(
	{ at: jobs.advanceAt, afterMs: 30 * SECOND, leaseMs: null },
	{ jobId: jobs.id },
	({ jobId }) => ({ type: 'job.advance', jobId }),
)

export const reaperStore = (db: Db) => ({
	async listExpired(now: number, limit: number): Promise<TaskRow[]> {
		return db
			.select()
			.from(tasks)
			.where(and(sql`${tasks.state} = 'running'`, lte(tasks.dueAt, now)))
			.orderBy(asc(tasks.dueAt))
			.limit(limit)
	},

	/** Lists unfinished jobs without changes since `before`, unless their organization was suspended meanwhile. */
	async listStuck(before: number, limit: number) {
		return db
			.select({ id: jobs.id, assetId: jobs.assetId, orgId: jobs.orgId })
			.from(jobs)
			.where(and(isUnfinished, lt(jobs.updatedAt, before), not(couldNotBeginSince(jobs.orgId, before))))
			.orderBy(asc(jobs.updatedAt))
			.limit(limit)
	},

	/**
	 * Deletes tasks of jobs that ended long ago, and the jobs. Existing assets keep their last job and published jobs,
	 * whose outputs are still stored. Returns the number of deleted tasks.
	 */
	async pruneEnded(before: number, limit: number): Promise<number> {
		const old = db
			.select({ id: jobs.id })
			.from(jobs)
			.where(
				and(
					isNotNull(jobs.endedAt),
					lt(jobs.endedAt, before),
					sql`exists (
						select 1 from tasks as task
						where task.job_id = ${sql.raw('jobs.id')} and task.created_at < ${before}
					)`,
				),
			)
			.limit(limit)
		// Speech may be recognized again long after the job.
		const rows = await db
			.delete(tasks)
			.where(and(inArray(tasks.jobId, old), lt(tasks.createdAt, before)))
			.returning({ id: tasks.id })
		await db.delete(taskFailures).where(lt(taskFailures.createdAt, before))
		await db.delete(jobs).where(
			and(
				isNotNull(jobs.endedAt),
				lt(jobs.endedAt, before),
				sql`not exists (
					select 1 from (select id from assets union all select id from trashed_assets) as asset
					where asset.id = ${sql.raw('jobs.asset_id')}
						and (
							${sql.raw('jobs.published_version')} > 0
							or not exists (
								select 1 from jobs as newer
								where newer.asset_id = asset.id and newer.created_at > ${sql.raw('jobs.created_at')}
							)
						)
				)`,
			),
		)
		return rows.length
	},

	/** Lists the codecs of open tasks; null stands for tasks that every job requires. */
	async listOpenCodecs(id: string): Promise<(AdditionalCodec | null)[]> {
		const rows = await db
			.selectDistinct({ rank: tasks.rank })
			.from(tasks)
			.where(and(eq(tasks.jobId, id), inArray(tasks.state, ['queued', 'running'])))
		return [...new Set(rows.map(findAdditionalCodec))]
	},

	async isRunning(id: string): Promise<boolean> {
		const rows = await db
			.select({ id: tasks.id })
			.from(tasks)
			.where(and(eq(tasks.jobId, id), eq(tasks.state, 'running')))
			.limit(1)
		return rows.length > 0
	},
})
