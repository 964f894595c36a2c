import { type SQL, sql } from 'drizzle-orm'
import { SEARCH_LIMIT } from '#schema/contract/operations/admin/limits.ts'
import { computePrefixRange } from '../../platform/database/search-terms.ts'

/** Returns a query for the `id` of rows whose column starts with a text. It reads a range of the column's index. */
export const matchesPrefix = (id: SQL, from: SQL, column: SQL, text: string): SQL => {
	const [least, below] = computePrefixRange(text)
	return sql`
		select id
		from (
			select ${id} as id from ${from}
			where ${column} >= ${least} and ${column} < ${below}
			order by ${column} limit ${SEARCH_LIMIT}
		)
	`
}

/** Changes a text as `lower` of SQLite does, which changes A to Z alone. */
export const toLowerAscii = (text: string): string =>
	text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
