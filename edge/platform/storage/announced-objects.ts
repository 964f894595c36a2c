import { and, eq, type SQL, sql } from 'drizzle-orm'
import { storagePurges } from '#schema/tables/platform.ts'
import type { Db } from '../database/database.ts'
import { insertSelect } from '../database/insert-select.ts'
import type { Deps } from '../deps.ts'
import type { BucketName } from './bucket.ts'

/**
 * Statement. Written before an object is stored that no row names yet: whoever dies between the two leaves it to the
 * sweep. `sweepAt` is a time at which nobody can be at it any more. `isAwaited` is a condition that ends with the
 * statement that makes a row name the object: what is announced behind that would be swept although it is in use.
 */
export const announceObject = (db: Db, bucket: BucketName, key: string, sweepAt: number, isAwaited: SQL) =>
	insertSelect(
		db,
		storagePurges,
		{ bucket, prefix: key, dueAt: sweepAt, lastDueAt: sweepAt },
		sql`where ${isAwaited}`,
	)
		.onConflictDoUpdate({
			target: [storagePurges.bucket, storagePurges.prefix],
			set: { dueAt: sweepAt, lastDueAt: sweepAt },
		})
		.returning({ key: storagePurges.prefix })

/** A condition for the statement that makes a row name the object: the sweep has not been there. */
export const isAnnounced = (bucket: BucketName, key: string, now: number): SQL =>
	sql`exists (select 1 from ${storagePurges} where ${storagePurges.bucket} = ${bucket} and ${storagePurges.prefix} = ${key} and ${storagePurges.lastDueAt} > ${now})`

/** Statement for a batch, if the statement before it changed something: a row names the object from now on. */
export const keepAnnounced = (db: Db, bucket: BucketName, key: string) =>
	db.delete(storagePurges).where(and(announcement(bucket, key), sql`changes() > 0`))

/** Nothing will ever name the object, if it was stored at all. */
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
