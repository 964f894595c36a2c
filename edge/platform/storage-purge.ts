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
 * Statement for a batch, behind the end of what the objects belonged to. `prefixes` is a query for rows of bucket and
 * prefix; where one is being purged already, its time begins anew.
 */
export function recordPurges(db: Db, prefixes: SQL, now: number) {
	const lastDueAt = now + LAST_AFTER_MS
	return db
		.insert(storagePurges)
		.select(
			sql`select place.bucket, place.prefix, ${now}, ${lastDueAt} from (${prefixes}) as place where true`,
		)
		.onConflictDoUpdate({
			target: [storagePurges.bucket, storagePurges.prefix],
			set: { dueAt: now, lastDueAt },
		})
}

/** Deletes what is due to be deleted. A purge that fails is tried again; one that was the last of its prefix is over. */
export async function purgeStorage(deps: Pick<Deps, 'db' | 'now' | 'objects' | 'log'>): Promise<void> {
	const { db, now } = deps
	const due = await takeDue(db, now)
	for (const { bucket, prefix, lastDueAt } of due) {
		try {
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
			.where(
				and(
					eq(storagePurges.bucket, row.bucket),
					eq(storagePurges.prefix, row.prefix),
					eq(storagePurges.dueAt, row.dueAt),
				),
			)
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
	const itself = and(eq(storagePurges.bucket, purge.bucket), eq(storagePurges.prefix, purge.prefix))
	if (now >= purge.lastDueAt) await db.delete(storagePurges).where(itself)
	else await db.update(storagePurges).set({ dueAt: purge.lastDueAt }).where(itself)
}
