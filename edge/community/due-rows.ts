import { inArray, lte } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { MINUTE } from '../platform/clock.ts'
import type { Db } from '../platform/database.ts'

/** Longer than the queue tries a message for; then the sweep hands it over again. */
const LEASE_MS = 30 * MINUTE
const SWEEP_ROWS = 100

/** Ids of rows whose message was lost; they are put off, so that the next sweep finds others. */
export async function claimDueRows(
	db: Db,
	id: AnySQLiteColumn,
	dueAt: AnySQLiteColumn,
	now: number,
): Promise<number[]> {
	const table = id.table as SQLiteTable
	const due = db.select({ id }).from(table).where(lte(dueAt, now)).orderBy(dueAt).limit(SWEEP_ROWS)
	const taken = await db
		.update(table)
		// The key of the table's object is the column's name (`casing`).
		.set({ [dueAt.name]: now + LEASE_MS })
		.where(inArray(id, due))
		.returning({ id })
	return taken.map((row) => row.id as number)
}
