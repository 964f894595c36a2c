import { inArray, lte } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { MINUTE } from '../platform/clock.ts'
import type { Db } from '../platform/database/database.ts'

/** Longer than the queue retries a message. Afterwards the sweep sends the message again. */
const LEASE_MS = 30 * MINUTE
const SWEEP_ROWS = 100

/** Claims rows whose message was lost and returns their ids. Postpones them, so the next sweep finds other rows. */
export async function claimDueRows(
	db: Db,
	id: AnySQLiteColumn,
	dueAt: AnySQLiteColumn,
	now: number,
): Promise<number[]> {
	const table = id.table as SQLiteTable
	const due = db.select({ id }).from(table).where(lte(dueAt, now)).orderBy(dueAt).limit(SWEEP_ROWS)
	const claimed = await db
		.update(table)
		// With `casing`, Drizzle's key of a column equals `name`.
		.set({ [dueAt.name]: now + LEASE_MS })
		.where(inArray(id, due))
		.returning({ id })
	return claimed.map((row) => row.id as number)
}
