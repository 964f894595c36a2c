import { type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from '../../../platform/database/database.ts'

/** Erases rows of one table: early batches take what exceeds the final batch, which takes the rest. */
export type ErasureStep = {
	table: SQLiteTable
	where: SQL
	/** The condition for rows that may be erased before the final batch (default: all). */
	early?: SQL | undefined
	/** Returns statements for a batch; `which` is the condition that selects the rows. */
	erase(which: SQL): BatchItem<'sqlite'>[]
}

/** The final batch erases at most this many rows of a step. */
const FINAL_BATCH_ROWS = 1_000
/** Rows per early batch: few enough that other requests can read and write between two batches. */
const STEP_ROWS = 2_000

/**
 * Erases one batch of rows before the final batch. Returns false if the final batch can erase the rest; an ordinary
 * account is therefore erased in one transaction.
 */
export async function eraseStep(db: Db, { table, where, early, erase }: ErasureStep): Promise<boolean> {
	const movable = early ? sql`${where} and ${early}` : where
	const [excessRow] = await db.all<{ one: number }>(
		sql`select 1 as one from ${table} where ${movable} limit 1 offset ${FINAL_BATCH_ROWS}`,
	)
	if (!excessRow) return false
	// The order makes every statement of the batch select the same rows.
	const some = sql`rowid in (select rowid from ${table} where ${movable} order by rowid limit ${STEP_ROWS})`
	const [first, ...more] = erase(some)
	if (first) await db.batch([first, ...more])
	return true
}
