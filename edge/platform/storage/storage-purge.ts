import { and, eq, inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { PurgeStorage } from '#schema/contract/platform/messages.ts'
import { storagePurges } from '#schema/tables/platform.ts'
import { DAY, MINUTE } from '../clock.ts'
import type { Db } from '../database/database.ts'
import { insertSelect } from '../database/insert-select.ts'
import type { Deps } from '../deps.ts'
import type { Bucket } from './bucket.ts'

/** What was begun at the last moment of an upload address, or by a machine that has not heard yet, has arrived by then. */
const LAST_AFTER_MS = DAY
/** Longer than the queue tries a message for; then the sweep hands it over again. */
const LEASE_MS = 30 * MINUTE
const SWEEP_ROWS = 100
/** R2 lists and deletes a thousand objects at a time; a message is content with this many thousands. */
const MAX_PAGES = 100

/**
 * Statement for a batch, behind the end of what the objects belonged to. `prefixes` is a query for rows of bucket and
 * prefix; where one is being purged already, its time begins anew. `once`: only at the end of that time, for what
 * somebody may still be reading.
 */
export function recordPurges(db: Db, prefixes: SQL, now: number, when: 'at-once' | 'once' = 'at-once') {
	const lastDueAt = now + LAST_AFTER_MS
	const dueAt = when === 'once' ? lastDueAt : now
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

/** To the queue with what is to be purged and is not at work already. */
export async function handOverPurges(deps: Pick<Deps, 'db' | 'now' | 'send'>): Promise<void> {
	const { db, now } = deps
	const due = db
		.select({ rowid: sql`rowid` })
		.from(storagePurges)
		.where(lte(storagePurges.dueAt, now))
		.orderBy(storagePurges.dueAt)
		.limit(SWEEP_ROWS)
	const taken = await db
		.update(storagePurges)
		.set({ dueAt: now + LEASE_MS })
		.where(inArray(sql`rowid`, due))
		.returning({ bucket: storagePurges.bucket, prefix: storagePurges.prefix })
	for (const place of taken) await deps.send({ type: 'storage.purge', ...place })
}

/** Deletes everything under a prefix. A second delivery finds less, or nothing. */
export async function purgeStorage(deps: Deps, place: PurgeStorage): Promise<void> {
	const { db, now, objects, log } = deps
	const { bucket, prefix } = place
	const itself = and(eq(storagePurges.bucket, bucket), eq(storagePurges.prefix, prefix))
	const [purge] = await db.select().from(storagePurges).where(itself)
	if (!purge) return
	if (!(await empty(objects[bucket], prefix))) return deps.send(place)
	const { lastDueAt } = purge
	// One that began anew meanwhile has a later end, and is not finished by this one.
	const unchanged = and(itself, eq(storagePurges.lastDueAt, lastDueAt))
	if (now >= lastDueAt) await db.delete(storagePurges).where(unchanged)
	else await db.update(storagePurges).set({ dueAt: lastDueAt }).where(unchanged)
	log.info('storage purged', { bucket, prefix, isLast: now >= lastDueAt })
}

/** False if there was more than one message should take on. */
async function empty(bucket: Bucket, prefix: string): Promise<boolean> {
	for (let page = 0; page < MAX_PAGES; page++) {
		// Always the first page: what was on it is gone when the next is asked for.
		const { objects, cursor } = await bucket.list(prefix)
		if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key))
		if (cursor === null) return true
	}
	return false
}
