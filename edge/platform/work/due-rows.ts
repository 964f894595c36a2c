import { and, asc, inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn, SelectedFieldsFlat, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from '../database/database.ts'

/** Rows with work that is due at an instant. */
export type DueRows = {
	at: AnySQLiteColumn
	/** How long after the instant they are due. */
	afterMs?: number
	/** A condition that matches an index: SQLite uses a partial one only for the literal that it was made with. */
	isOpen?: SQL
}

const isDue = ({ at, afterMs = 0, isOpen }: DueRows, now: number): SQL =>
	and(isOpen, lte(at, now - afterMs)) as SQL

/** Lists rows, those that have been due longest first. */
export const listDue = (
	db: Db,
	rows: DueRows,
	fields: Record<string, AnySQLiteColumn | SQL>,
	{ now, limit }: { now: number; limit: number },
) =>
	db
		.select(fields)
		.from(rows.at.table as SQLiteTable)
		.where(isDue(rows, now))
		.orderBy(asc(rows.at))
		.limit(limit)

/**
 * Returns the condition of an update that claims rows: this one is among the `limit` that have been due longest. The update
 * sets a later instant, so that other runs find other rows, and an interrupted one is repeated.
 */
export const isAmongDue = (db: Db, rows: DueRows, now: number, limit: number): SQL =>
	inArray(sql`rowid`, listDue(db, rows, { rowid: sql`rowid` }, { now, limit }))

/** Claims rows until the end of a lease. */
export const claimDue = <Fields extends SelectedFieldsFlat>(
	db: Db,
	rows: DueRows,
	fields: Fields,
	{ now, limit, leaseMs }: { now: number; limit: number; leaseMs: number },
) =>
	db
		.update(rows.at.table as SQLiteTable)
		// With `casing`, Drizzle's key of a column equals `name`.
		.set({ [rows.at.name]: now + leaseMs })
		.where(isAmongDue(db, rows, now, limit))
		.returning(fields)

/** Returns which of these have rows that are due, with one statement. */
export async function findDue(db: Db, all: readonly DueRows[], now: number): Promise<Set<DueRows>> {
	const columns = all.map(
		(rows, i) =>
			sql`exists (select 1 from ${rows.at.table} where ${isDue(rows, now)}) as ${sql.identifier(`due${i}`)}`,
	)
	const [found] = await db.all<Record<string, number>>(sql`select ${sql.join(columns, sql`, `)}`)
	return new Set(all.filter((_, i) => found?.[`due${i}`]))
}
