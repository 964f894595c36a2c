import { type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from '../platform/database.ts'

/** Rows of one table that go: what is left of them in the final batch, and before it, in steps, what is too much for that. */
export type Portion = {
	table: SQLiteTable
	/** Finds the rows. */
	where: SQL
	/** Which of them may go before the final batch; all of them unless told. */
	early?: SQL | undefined
	/** Statements for a batch; `which` is a condition that picks some of the rows. */
	erase(which: SQL): BatchItem<'sqlite'>[]
}

/** Rows of one portion that the final batch takes on. */
const KEPT_FOR_BATCH = 1_000
/** Rows of one step: short enough that everyone else's reads and writes fit in between. */
const STEP_ROWS = 2_000

/** A row that others are found by may not go before them. */
export const nothingPointsAt = (id: AnySQLiteColumn, columns: readonly AnySQLiteColumn[]): SQL =>
	sql.join(
		columns.map((column) => sql`not exists (select 1 from ${column.table} where ${column} = ${id})`),
		sql` and `,
	)

/**
 * One step of what goes before the final batch. False when so little is left that the batch can do it: an ordinary
 * account goes in the batch as a whole, all or nothing.
 */
export async function eraseStep(db: Db, { table, where, early, erase }: Portion): Promise<boolean> {
	const movable = early ? sql`${where} and ${early}` : where
	const [beyond] = await db.all<{ one: number }>(
		sql`select 1 as one from ${table} where ${movable} limit 1 offset ${KEPT_FOR_BATCH}`,
	)
	if (!beyond) return false
	// In an order, so that every statement of the step means the same rows.
	const some = sql`rowid in (select rowid from ${table} where ${movable} order by rowid limit ${STEP_ROWS})`
	const [first, ...more] = erase(some)
	if (first) await db.batch([first, ...more])
	return true
}
