import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

/**
 * Returns the SQL condition that a row still has these values: for an update of what was read before. JSON is compared
 * without regard to spaces.
 */
export function hasValues<T extends SQLiteTable>(table: T, values: Partial<T['$inferSelect']>): SQL {
	const columns = getTableColumns(table)
	const conditions = Object.entries(values).map(([name, value]) => {
		const column = columns[name]
		if (!column) throw new Error(`the table has no column ${name}`)
		const expected = value === null ? sql`null` : sql`${sql.param(value, column)}`
		return column.dataType === 'json'
			? sql`json(${column}) is json(${expected})`
			: sql`${column} is ${expected}`
	})
	return sql.join(conditions, sql` and `)
}
