import { and, eq, ne, or, type SQL, sql } from 'drizzle-orm'
import { jobs, renditions, taskFailures, tasks } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { StopWorkOnAsset } from '../../../platform/deps.ts'
import { PROVIDER_LANE } from '../plan/lanes.ts'
import { isUnfinished } from './job-store.ts'
import { pendingUpload, requeueColumns } from './task-store.ts'

/**
 * Deletes the tasks in the batch that deletes their asset, if `condition` holds. Machines with a lease get 410 at their
 * next call. Returns their unfinished multipart uploads (`abortUploads`).
 */
export const deleteTasksStatement = (db: Db, assetId: string, condition: SQL) =>
	db
		.delete(tasks)
		.where(and(eq(tasks.assetId, assetId), condition))
		.returning(pendingUpload)

/**
 * Cancels the tasks that follow processing, except a chunk at a provider: it is paid, so its text is kept for a restored
 * asset.
 */
export const stopTasksStatements: StopWorkOnAsset = (db, assetId, now, condition) => [
	db
		.update(tasks)
		.set({ state: 'cancelled', endedAt: now })
		.where(
			and(
				eq(tasks.assetId, assetId),
				or(eq(tasks.state, 'queued'), and(eq(tasks.state, 'running'), ne(tasks.lane, PROVIDER_LANE))),
				condition,
			),
		),
]

/** Queues the downloads that the trash cancelled. Nothing else leaves a cancelled download in a published job. */
export const requeueDownloads = (db: Db, assetId: string, now: number) =>
	db
		.update(tasks)
		.set({ ...requeueColumns(now), attempts: 0, endedAt: null })
		.where(
			and(
				eq(tasks.assetId, assetId),
				eq(tasks.kind, 'download'),
				eq(tasks.state, 'cancelled'),
				sql`exists (select 1 from assets as present where present.id = ${assetId})`,
			),
		)
		.returning({ id: tasks.id })

/** Statements for the same batch. The ended job is kept for a while for the statistics. */
export const endProcessingStatements = (db: Db, assetId: string, now: number, condition: SQL) => [
	db
		.update(jobs)
		.set({ status: 'cancelled', endedAt: now, advanceAt: null, updatedAt: now })
		.where(and(eq(jobs.assetId, assetId), isUnfinished, condition)),
	db.delete(renditions).where(and(eq(renditions.assetId, assetId), condition)),
	db.delete(taskFailures).where(and(eq(taskFailures.assetId, assetId), condition)),
]
