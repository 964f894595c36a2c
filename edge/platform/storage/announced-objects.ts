import { and, eq, type SQL, sql } from 'drizzle-orm'
import { storagePurges } from '#schema/tables/platform.ts'
import type { Db } from '../database/database.ts'
import { insertSelect } from '../database/insert-select.ts'
import type { Deps } from '../deps.ts'
import type { BucketName } from './bucket.ts'

/**
 * Announces an object before it is stored, while no row refers to it. If the writer dies, the sweep deletes the
 * object at `sweepAt`, when no writer can be active. `isAwaited` must stop holding once a row refers to the object; a
 * later announcement would delete an object in use.
 */
export const announceObjectStatement = (
	db: Db,
	bucket: BucketName,
	key: string,
	sweepAt: number,
	isAwaited: SQL,
) =>
	insertSelect(
		db,
		storagePurges,
		{ bucket, prefix: key, dueAt: sweepAt, lastDueAt: sweepAt },
		sql`where ${isAwaited}`,
	)
		.onConflictDoUpdate({
			target: [storagePurges.bucket, storagePurges.prefix],
			// A chunked upload has longer than a URL created meanwhile.
			set: {
				dueAt: sql`max(${storagePurges.dueAt}, ${sweepAt})`,
				lastDueAt: sql`max(${storagePurges.lastDueAt}, ${sweepAt})`,
			},
		})
		.returning({ key: storagePurges.prefix })

/** SQL condition for the statement that makes a row refer to the object: the sweep can't have deleted it. */
export const isAnnounced = (bucket: BucketName, key: string, now: number): SQL =>
	sql`exists (
		select 1 from ${storagePurges}
		where ${storagePurges.bucket} = ${bucket}
			and ${storagePurges.prefix} = ${key}
			and ${storagePurges.lastDueAt} > ${now}
	)`

/** Ends the announcement if the previous statement of the batch made a row refer to the object. */
export const keepAnnouncedStatement = (db: Db, bucket: BucketName, key: string) =>
	db.delete(storagePurges).where(and(announcement(bucket, key), sql`changes() > 0`))

/** Deletes a possibly stored object and its announcement. Call it when no row will refer to it. */
export async function withdrawObject(
	{ db, objects }: Pick<Deps, 'db' | 'objects'>,
	bucket: BucketName,
	key: string,
): Promise<void> {
	await objects[bucket].delete(key)
	await db.delete(storagePurges).where(announcement(bucket, key))
}

const announcement = (bucket: BucketName, key: string) =>
	and(eq(storagePurges.bucket, bucket), eq(storagePurges.prefix, key))
