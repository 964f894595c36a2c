import { asc, inArray, lte, type SQL } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from './database.ts'

/**
 * Returns the condition of an update that claims rows: this one is among the `limit` that have been due longest. The update
 * sets a later `dueAt`, so that other runs find other rows, and an interrupted one is repeated.
 */
export const isAmongDue = (
	db: Db,
	{ id, dueAt }: { id: AnySQLiteColumn; dueAt: AnySQLiteColumn },
	now: number,
	limit: number,
): SQL =>
	inArray(
		id,
		db
			.select({ id })
			.from(id.table as SQLiteTable)
			.where(lte(dueAt, now))
			.orderBy(asc(dueAt))
			.limit(limit),
	)
