import { and, eq, type SQL, sql } from 'drizzle-orm'
import { tasks } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../platform/database/database.ts'
import { recordPurgesStatement } from '../../platform/storage/storage-purge.ts'
import { thumbnailFolder } from './storage-keys.ts'
import type { AssetRow } from './store.ts'

/**
 * Ends a request for a frame: deletes its task and the stored outputs; machines with a lease get 410. The file of a
 * finished task may be the current thumbnail, so it stays.
 */
export const endFrameRequestStatements = (
	db: Db,
	{ id, playbackId }: Pick<AssetRow, 'id' | 'playbackId'>,
	now: number,
	condition: SQL,
) => [
	recordPurgesStatement(
		db,
		sql`
			select 'media' as bucket, ${thumbnailFolder(playbackId)} || task.id || '-' as prefix from tasks as task
			where task.asset_id = ${id} and task.kind = 'poster' and task.state in ('queued', 'running') and ${condition}
		`,
		now,
	),
	db.delete(tasks).where(and(eq(tasks.assetId, id), eq(tasks.kind, 'poster'), condition)),
]
