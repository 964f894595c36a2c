import { type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from '../../platform/database/database.ts'

/** Erases rows of one table: in steps while there are too many for one batch, the rest in the final batch. */
export type ErasureStep = {
	table: SQLiteTable
	where: SQL
	/** Which rows may be erased before the final batch (default all). */
	early?: SQL | undefined
	/** Returns statements for a batch; `which` is a condition that picks some of the rows. */
	erase(which: SQL): BatchItem<'sqlite'>[]
}

/** Most rows of one step that the final batch erases. */
const FINAL_BATCH_ROWS = 1_000
/** Small enough that other requests' reads and writes fit between two batches. */
const STEP_ROWS = 2_000

/** Condition that no other row refers to this one; rows found through it must be erased first. */
export const isUnreferenced = (id: AnySQLiteColumn, columns: readonly AnySQLiteColumn[]): SQL =>
	sql.join(
		columns.map((column) => sql`not exists (select 1 from ${column.table} where ${column} = ${id})`),
		sql` and `,
	)

/**
 * Erases one batch of rows before the final batch. Returns false once the final batch can do the rest, so an ordinary
 * account is erased in one transaction.
 */
export async function eraseStep(db: Db, { table, where, early, erase }: ErasureStep): Promise<boolean> {
	const movable = early ? sql`${where} and ${early}` : where
	const [excessRow] = await db.all<{ one: number }>(
		sql`select 1 as one from ${table} where ${movable} limit 1 offset ${FINAL_BATCH_ROWS}`,
	)
	if (!excessRow) return false
	// Ordered, so that every statement of the batch picks the same rows.
	const some = sql`rowid in (select rowid from ${table} where ${movable} order by rowid limit ${STEP_ROWS})`
	const [first, ...more] = erase(some)
	if (first) await db.batch([first, ...more])
	return true
}
