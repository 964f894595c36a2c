import { and, eq, sql } from 'drizzle-orm'
import { assets } from '#schema/tables/video/assets.ts'
import { jobs } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { readWork, shownJob, workJson } from './processing-store.ts'

/** Failures have an index by asset, and none by job. */
const failedAttempts = sql<number>`(
	select count(*) from task_failures as failure
	where failure.asset_id = ${jobs}.asset_id and failure.job_id = ${jobs}.id
)`
const runningTasks = sql<number>`(
	select count(*) from tasks as task where task.job_id = ${jobs}.id and task.state = 'running'
)`

/** Returns a job with the sums over its tasks, in one statement. Assets in the trash have no row in `assets`. */
export async function findJob(db: Db, orgId: string, jobId: string) {
	const [row] = await db
		.select({
			job: shownJob,
			assetId: jobs.assetId,
			work: workJson.as('work'),
			failed: failedAttempts.as('failed_attempts'),
			running: runningTasks.as('running_tasks'),
		})
		.from(jobs)
		.innerJoin(assets, eq(assets.id, jobs.assetId))
		.where(and(eq(jobs.id, jobId), eq(jobs.orgId, orgId)))
	return row && { ...row, work: readWork(row.work) }
}

export type FoundJob = NonNullable<Awaited<ReturnType<typeof findJob>>>
