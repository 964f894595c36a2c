import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { MINUTE } from '../platform/clock.ts'
import type { Db } from '../platform/database/database.ts'
import { isAmongDue } from '../platform/database/due-rows.ts'

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
	const claimed = await db
		.update(table)
		// With `casing`, Drizzle's key of a column equals `name`.
		.set({ [dueAt.name]: now + LEASE_MS })
		.where(isAmongDue(db, { id, dueAt }, now, SWEEP_ROWS))
		.returning({ id })
	return claimed.map((row) => row.id as number)
}
