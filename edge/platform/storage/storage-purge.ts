import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PurgeStorage } from '#schema/contract/messages.ts'
import { storagePurges } from '#schema/tables/platform.ts'
import { DAY, MINUTE } from '../clock.ts'
import type { Db } from '../database/database.ts'
import { insertSelect } from '../database/insert-select.ts'
import type { Deps } from '../deps.ts'
import { queueDue, sweepRows } from '../work/sweep.ts'
import type { Bucket } from './bucket.ts'

/**
 * Late writes have arrived by then: uploads started just before their URL expired, and outputs of machines that
 * missed the deletion.
 */
const LAST_AFTER_MS = DAY
/** Longer than the edge cache keeps responses that refer to an object. */
const SOON_AFTER_MS = 5 * MINUTE
/** R2 lists and deletes 1,000 objects per page. One message deletes at most this many pages. */
const MAX_PAGES = 100

/**
 * Records the purge of objects, in the batch that deletes their owner. `prefixes` selects buckets and prefixes; a
 * pending purge of the same prefix restarts. `soon` waits for cached responses to expire. `once` deletes only at the
 * last due time, for objects that may still be read.
 */
export function recordPurgesStatement(
	db: Db,
	prefixes: SQL,
	now: number,
	when: 'at-once' | 'soon' | 'once' = 'at-once',
) {
	const lastDueAt = now + LAST_AFTER_MS
	const dueAt = { 'at-once': now, soon: now + SOON_AFTER_MS, once: lastDueAt }[when]
	return insertSelect(
		db,
		storagePurges,
		{ bucket: sql`place.bucket`, prefix: sql`place.prefix`, dueAt, lastDueAt },
		sql`from (${prefixes}) as place where true`,
	).onConflictDoUpdate({
		target: [storagePurges.bucket, storagePurges.prefix],
		set: { dueAt, lastDueAt },
	})
}

export const purgeSweep = sweepRows(
	{ at: storagePurges.dueAt },
	{ bucket: storagePurges.bucket, prefix: storagePurges.prefix },
	(place) => ({ type: 'storage.purge', ...place }),
)

/** Queues purges that are due and not leased. */
export const queuePurges = (deps: Pick<Deps, 'db' | 'now' | 'sendBatch'>) => queueDue(deps, purgeSweep)

/** Deletes everything under a prefix. Repeated deliveries are harmless. */
export async function purgeStorage(deps: Deps, place: PurgeStorage): Promise<void> {
	const { db, now, objects, log } = deps
	const { bucket, prefix } = place
	const itself = and(eq(storagePurges.bucket, bucket), eq(storagePurges.prefix, prefix))
	const [purge] = await db.select().from(storagePurges).where(itself)
	if (!purge) return
	if (!(await deleteAll(objects[bucket], prefix))) return deps.send(place)
	const { lastDueAt } = purge
	// A purge recorded again meanwhile has a later end and must not finish here.
	const unchanged = and(itself, eq(storagePurges.lastDueAt, lastDueAt))
	if (now >= lastDueAt) await db.delete(storagePurges).where(unchanged)
	else await db.update(storagePurges).set({ dueAt: lastDueAt }).where(unchanged)
	log.info('storage purged', { bucket, prefix, isLast: now >= lastDueAt })
}

/** Deletes all objects under a prefix, or returns false if there are too many for one message. */
async function deleteAll(bucket: Bucket, prefix: string): Promise<boolean> {
	for (let page = 0; page < MAX_PAGES; page++) {
		// Always lists the first page, because the previous one is deleted.
		const { objects, cursor } = await bucket.list(prefix)
		if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key))
		if (cursor === null) return true
	}
	return false
}
