import { type SQL, sql } from 'drizzle-orm'

/** An SQL expression for each field of a row, written once for `select` and for `returning`. */
export type ColumnsOf<Row> = { [Name in keyof Row]: SQL<Row[Name]> }

/** Returns the select list, with each field's name as the alias. */
export const selectList = (columns: Record<string, SQL>): SQL =>
	sql.join(
		Object.entries(columns).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`),
		sql`, `,
	)

/** Returns the fields for drizzle's `returning`. */
export const returningList = <Row>(columns: ColumnsOf<Row>) =>
	Object.fromEntries(Object.entries<SQL>(columns).map(([name, column]) => [name, column.as(name)])) as {
		[Name in keyof Row]: SQL.Aliased<Row[Name]>
	}
