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

/**
 * Returns a JSON object of the columns. The fields in `json` hold JSON, and become text in it, so that the object is
 * read like a row of the same columns.
 */
export function buildJsonObject<Row>(columns: RowColumns<Row>, json: readonly (keyof Row & string)[]): SQL {
	const members = Object.entries<SQL>(columns).map(([name, column]) => {
		const value = (json as readonly string[]).includes(name) ? sql`(${column}) || ''` : column
		return sql`${sql.raw(`'${name}'`)}, ${value}`
	})
	return sql`json_object(${sql.join(members, sql`, `)})`
}

/** Returns the fields for drizzle's `returning`. */
export const buildReturningList = <Row>(columns: RowColumns<Row>) =>
	Object.fromEntries(Object.entries<SQL>(columns).map(([name, column]) => [name, column.as(name)])) as {
		[Name in keyof Row]: SQL.Aliased<Row[Name]>
	}
