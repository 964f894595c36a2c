import { type SQL, sql } from 'drizzle-orm'
import { SEARCH_LIMIT } from '#schema/contract/operations/admin/limits.ts'
import { computePrefixRange } from '../../platform/database/search-terms.ts'

/** Returns a query for the `id` of rows whose column starts with a prefix. Scans a range of the column's index. */
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

/** Lowercases A to Z only, like SQLite's `lower`. */
export const toLowerAscii = (text: string): string =>
	text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
