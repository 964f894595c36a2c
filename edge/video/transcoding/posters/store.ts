import { and, eq, type SQL, sql } from 'drizzle-orm'
import { assets } from '#schema/tables/video/assets.ts'
import { tasks } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../platform/database/database.ts'
import { recordPurgesStatement } from '../../../platform/storage/storage-purge.ts'
import type { AssetRow } from '../../assets/store.ts'
import type { TaskRow } from '../store/task-row.ts'

export const POSTER_NAME = 'poster.jpg'

const frameTask = sql`${assets.thumbnailFrame} ->> '$.taskId'`
const setStatus = (status: 'ready' | 'failed') =>
	sql`json_set(${assets.thumbnailFrame}, '$.status', ${status})`

/** State changes of thumbnails that tasks make of a frame. */
export const posterStore = (db: Db) => ({
	/** Requests a frame, unless there was another request or publication since the row was read. */
	requestStatement(asset: AssetRow, atSec: number, taskId: string, now: number) {
		const { id, orgId, manifestKey, thumbnailFrame } = asset
		return db
			.update(assets)
			.set({ thumbnailFrame: { atSec, status: 'processing', taskId }, updatedAt: now })
			.where(
				and(
					eq(assets.id, id),
					eq(assets.orgId, orgId),
					eq(assets.status, 'ready'),
					sql`${assets.manifestKey} is ${manifestKey}`,
					sql`${frameTask} is ${thumbnailFrame?.taskId ?? null}`,
					sql`not ${isBecomingWhole(id)}`,
				),
			)
			.returning()
	},

	/** Follows the completion of a task. Changes nothing if a later request, an upload or a removal came first. */
	replaceThumbnailStatement(task: Pick<TaskRow, 'id' | 'assetId'>, key: string, condition: SQL, now: number) {
		return db
			.update(assets)
			.set({ customThumbnailKey: key, thumbnailFrame: setStatus('ready'), updatedAt: now })
			.where(and(isWaiting(task), condition))
			.returning({ id: assets.id })
	},

	/** Deletes the thumbnail that the task replaces. Comes before the replacement in its batch. */
	purgeReplacedStatement(task: Pick<TaskRow, 'id' | 'assetId'>, now: number, condition: SQL) {
		const replaced = sql`
			select 'media' as bucket, ${assets.customThumbnailKey} as prefix from ${assets}
			where ${isWaiting(task)} and ${assets.customThumbnailKey} is not null and ${condition}
		`
		return recordPurgesStatement(db, replaced, now, 'soon')
	},

	failStatement(task: Pick<TaskRow, 'id' | 'assetId'>, condition: SQL) {
		return db
			.update(assets)
			.set({ thumbnailFrame: setStatus('failed') })
			.where(and(isWaiting(task), condition))
	},

	/** Deletes the files of the task's leases, except the current thumbnail. */
	purgeUnusedStatement(
		task: Pick<TaskRow, 'assetId'>,
		folders: readonly string[],
		now: number,
		condition: SQL,
	) {
		const unused = sql`
			select 'media' as bucket, folder.value as prefix from json_each(${JSON.stringify(folders)}) as folder
			where ${condition}
				and not exists (
					select 1 from assets as shown
					where shown.id = ${task.assetId} and shown.custom_thumbnail_key = folder.value || ${POSTER_NAME}
				)
		`
		return recordPurgesStatement(db, unused, now)
	},

	/** Attaches the task to the job that is published now, because earlier jobs are deleted with their tasks. */
	moveToJobStatement(assetId: string, jobId: string, condition: SQL) {
		return db
			.update(tasks)
			.set({ jobId })
			.where(
				and(eq(tasks.assetId, assetId), eq(tasks.kind, 'poster'), sql`${tasks.jobId} <> ${jobId}`, condition),
			)
	},
})

/** SQL condition: an unfinished job of the asset has not yet published everything that playback needs. */
const isBecomingWhole = (assetId: string): SQL =>
	sql`exists (
		select 1 from jobs as running
		where running.asset_id = ${assetId}
			and running.status in ('queued', 'processing')
			and running.all_published_at is null
	)`

const isWaiting = ({ id, assetId }: Pick<TaskRow, 'id' | 'assetId'>) =>
	and(
		eq(assets.id, assetId),
		sql`${frameTask} = ${id}`,
		sql`${assets.thumbnailFrame} ->> '$.status' = 'processing'`,
	)
