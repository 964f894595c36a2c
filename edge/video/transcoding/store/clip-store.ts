import { and, eq, type SQL, sql } from 'drizzle-orm'
import { highlights } from '#schema/tables/ai/highlights.ts'
import { tasks } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { recordPurgesStatement } from '../../../platform/storage/storage-purge.ts'
import type { TaskRow } from './task-row.ts'
import { hasFailed } from './task-store.ts'

/** State changes of clips caused by their tasks. */
export const clipStore = (db: Db) => ({
	/** Follows the completion of a clip task in its batch. Changes nothing if the highlight is gone. */
	addClipIfChangedStatement(
		taskId: string,
		clip: { clipFolder: string; clipBytes: number; hasPoster: boolean },
	) {
		return db
			.update(highlights)
			.set({ ...clip, status: 'ready' })
			.where(and(isWaiting(taskId), sql`changes() > 0`))
			.returning({ id: highlights.id })
	},

	failStatement(taskId: string, condition: SQL) {
		return db
			.update(highlights)
			.set({ status: 'failed' })
			.where(and(isWaiting(taskId), condition))
	},

	/** Deletes the outputs of a task's earlier leases. */
	purgeEarlierStatement(clipsFolder: string, taskId: string, epoch: number, now: number, condition: SQL) {
		return recordPurgesStatement(
			db,
			sql`
			with recursive earlier(epoch) as (
				-- D1 passes numbers as decimals, which would be in the prefix.
				select cast(${epoch} as integer) - 1
				union all
				select earlier.epoch - 1 from earlier where earlier.epoch > 1
			)
			select 'media' as bucket, ${`${clipsFolder}${taskId}-`} || earlier.epoch || '/' as prefix
			from earlier where earlier.epoch > 0 and ${condition}`,
			now,
		)
	},

	/** Deletes the outputs of all leases of a failed task. */
	purgeFailedStatement(clipsFolder: string, task: Pick<TaskRow, 'id' | 'epoch'>, now: number) {
		return recordPurgesStatement(
			db,
			sql`select 'media' as bucket, ${`${clipsFolder}${task.id}-`} as prefix where ${hasFailed(task)}`,
			now,
		)
	},

	/** Deletes a lease's folder if no highlight uses its clip, because it was deleted meanwhile. */
	purgeUnusedStatement(taskId: string, clipFolder: string, now: number) {
		return recordPurgesStatement(
			db,
			sql`
				select 'media' as bucket, ${clipFolder} as prefix
				where not exists (select 1 from highlights where task_id = ${taskId} and clip_folder = ${clipFolder})
			`,
			now,
		)
	},

	/** Deletes the clip tasks of an asset that wait for a machine, unless one of them is running. */
	dropWaitingStatement(assetId: string, condition: SQL) {
		const isIdle = sql`not exists (
			select 1 from tasks as busy
			where busy.asset_id = ${assetId} and busy.kind = 'clip' and busy.state = 'running'
		)`
		return db
			.delete(tasks)
			.where(
				and(eq(tasks.assetId, assetId), eq(tasks.kind, 'clip'), eq(tasks.state, 'queued'), isIdle, condition),
			)
	},
})

const isWaiting = (taskId: string) => and(eq(highlights.taskId, taskId), eq(highlights.status, 'processing'))
