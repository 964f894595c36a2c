import { and, asc, eq, lte, type SQL, sql } from 'drizzle-orm'
import { storagePurges } from '#schema/tables/platform.ts'
import { HOUR, MINUTE } from './clock.ts'
import type { Db } from './database.ts'
import type { Deps } from './deps.ts'
import type { BucketName } from './object-storage.ts'

/** An upload begun at the last moment of its address may still be on its way then. */
const LAST_AFTER_MS = 24 * HOUR
const RETRY_MS = 5 * MINUTE
const AT_ONCE = 20

/** The columns of schema/tables/platform.ts, in their order; for an `insert … select` behind what the purge follows. */
export const purgeValues = (bucket: BucketName, prefix: string, now: number) => ({
	bucket,
	prefix,
	dueAt: now,
	lastDueAt: now + LAST_AFTER_MS,
})

/**
 * Statement. Written before an object is stored that no row names yet: whoever dies between the two leaves it to the
 * sweep. `sweepAt` is a time at which nobody can be at it any more.
 */
export const announceObject = (db: Db, bucket: BucketName, key: string, sweepAt: number) =>
	db
		.insert(storagePurges)
		.values({ bucket, prefix: key, dueAt: sweepAt, lastDueAt: sweepAt })
		.onConflictDoNothing()

/** A condition for the statement that makes a row name the object: the sweep has not been there. */
export const isAnnounced = (bucket: BucketName, key: string, now: number): SQL =>
	sql`exists (select 1 from ${storagePurges} where ${storagePurges.bucket} = ${bucket} and ${storagePurges.prefix} = ${key} and ${storagePurges.lastDueAt} > ${now})`

/** Statement for a batch, if the statement before it changed something: a row names the object from now on. */
export const keepAnnounced = (db: Db, bucket: BucketName, key: string) =>
	db.delete(storagePurges).where(and(itself({ bucket, prefix: key }), sql`changes() > 0`))

/** Nothing will ever name the object, if it was stored at all. */
export async function withdrawObject(
	{ db, objects }: Pick<Deps, 'db' | 'objects'>,
	bucket: BucketName,
	key: string,
): Promise<void> {
	await objects[bucket].delete(key)
	await db.delete(storagePurges).where(itself({ bucket, prefix: key }))
}

const itself = ({ bucket, prefix }: { bucket: BucketName; prefix: string }) =>
	and(eq(storagePurges.bucket, bucket), eq(storagePurges.prefix, prefix))

type Purging = Pick<Deps, 'env' | 'db' | 'now' | 'objects' | 'log'>

/**
 * Deletes what is due to be deleted. A purge that fails is tried again; one that was the last of its prefix is over. `before`
 * ends what may still be writing there.
 */
export async function purgeStorage(
	deps: Purging,
	before?: (deps: Purging, bucket: BucketName, prefix: string) => Promise<void>,
): Promise<void> {
	const { db, now } = deps
	const due = await takeDue(db, now)
	for (const { bucket, prefix, lastDueAt } of due) {
		try {
			await before?.(deps, bucket, prefix)
			await deleteAll(deps, bucket, prefix)
			await finish(db, { bucket, prefix, lastDueAt }, now)
		} catch (error) {
			deps.log.error('purge failed', error, { bucket, prefix })
		}
	}
}

/** Leased, so that two runs at once do not do the same twice; whoever dies leaves it to the next. */
async function takeDue(db: Db, now: number) {
	const rows = await db
		.select()
		.from(storagePurges)
		.where(lte(storagePurges.dueAt, now))
		.orderBy(asc(storagePurges.dueAt))
		.limit(AT_ONCE)
	const taken: typeof rows = []
	for (const row of rows) {
		const [mine] = await db
			.update(storagePurges)
			.set({ dueAt: now + RETRY_MS })
			.where(and(itself(row), eq(storagePurges.dueAt, row.dueAt)))
			.returning()
		if (mine) taken.push(mine)
	}
	return taken
}

async function deleteAll({ objects }: Pick<Deps, 'objects'>, bucket: BucketName, prefix: string) {
	// Always the first page: what was on it is gone when the next is asked for.
	for (;;) {
		const page = await objects[bucket].list(prefix)
		if (page.objects.length === 0) return
		await objects[bucket].delete(page.objects.map(({ key }) => key))
	}
}

async function finish(
	db: Db,
	purge: { bucket: BucketName; prefix: string; lastDueAt: number },
	now: number,
): Promise<void> {
	if (now >= purge.lastDueAt) await db.delete(storagePurges).where(itself(purge))
	else await db.update(storagePurges).set({ dueAt: purge.lastDueAt }).where(itself(purge))
}
