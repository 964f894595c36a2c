import { type SQL, sql } from 'drizzle-orm'

/**
 * An SQL expression per field, shared by `select` and `returning`. Values arrive as SQLite returns them: JSON as
 * text, booleans as 0 or 1.
 */
export type RowColumns<Row> = { [Name in keyof Row]: SQL<Row[Name]> }

/** Returns the select list, with each field's name as the alias. */
export const buildSelectList = <Row>(columns: RowColumns<Row>): SQL =>
	sql.join(
		Object.entries<SQL>(columns).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`),
		sql`, `,
	)

/** Returns the fields for drizzle's `returning`. */
export const buildReturningList = <Row>(columns: RowColumns<Row>) =>
	Object.fromEntries(Object.entries<SQL>(columns).map(([name, column]) => [name, column.as(name)])) as {
		[Name in keyof Row]: SQL.Aliased<Row[Name]>
	}
