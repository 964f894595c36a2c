import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

/**
 * Returns the SQL condition that a row still has the values that were read before an update. Whitespace in JSON does not
 * matter.
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
