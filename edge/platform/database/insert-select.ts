import { getTableColumns, is, SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from './database.ts'

/** A value or an SQL expression for each column. Nullable columns and those with a default may be left out. */
export type SelectedColumns<T extends SQLiteTable> = {
	[Name in keyof T['$inferInsert']]: T['$inferInsert'][Name] | SQL
}

/**
 * Inserts one row of `columns` for each row of `source`, such as sql`from spaces where …`. With sql`where …` alone, it
 * inserts one row if the condition holds.
 */
export function insertSelect<T extends SQLiteTable>(
	db: Db,
	table: T,
	columns: SelectedColumns<T>,
	source: SQL = sql``,
) {
	const given: Record<string, unknown> = columns
	const selected = Object.entries(getTableColumns(table)).map(([name, column]) => {
		// The type allows omitting this column, but this function would insert null.
		if (column.defaultFn || column.onUpdateFn) throw new Error(`${name} has a default that is computed`)
		const value = given[name] === undefined ? column.default : given[name]
		if (is(value, SQL)) return value
		// D1 allows 100 parameters per statement.
		return value === undefined || value === null ? sql`null` : sql`${sql.param(value, column)}`
	})
	return db.insert(table).select(sql`select ${sql.join(selected, sql`, `)} ${source}`)
}
