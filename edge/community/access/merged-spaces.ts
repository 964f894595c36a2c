import { type SQL, sql } from 'drizzle-orm'
import { type Viewer, visibleSpaces } from './visible-spaces.ts'

/** The rows to merge and their order: by a time, then by id. An index supports each order. */
type RowOrder = {
	rows: 'posts' | 'events'
	at: 'created_at' | 'starts_at'
	order: 'newest first' | 'earliest first'
	/** Another condition on a row, aliased `y`. */
	where?: SQL
	/** A condition on the first row of a space only. The order alone finds the rows after it. */
	from?: SQL
	/** An additional SQL condition on spaces, which have the alias `s`. */
	spaces?: SQL
}

/**
 * Selects the ids of one page across all visible spaces, as a k-way merge: the queue holds the next row of each
 * space. Scanning the whole community would be slow for viewers of few spaces.
 */
export function mergeSpaces(viewer: Viewer, rowOrder: RowOrder, limit: number, offset: number): SQL {
	const { rows, at, order, where = sql`true`, from = sql`true`, spaces = sql`true` } = rowOrder
	const [direction, comparison] = order === 'newest first' ? ['desc', '<'] : ['asc', '>']
	const [table, time, sortOrder, isAfter] = [rows, at, direction, comparison].map((text) => sql.raw(text))
	const inOrder = sql`order by y.${time} ${sortOrder}, y.id ${sortOrder} limit 1`
	return sql`
	with recursive feed(id, space_id, at) as (
		select o.id, o.space_id, o.${time} from spaces s cross join ${table} o on o.id = (
			select y.id from ${table} y where y.space_id = s.id and ${where} and ${from} ${inOrder})
		where ${visibleSpaces(viewer)} and ${spaces}
		union all
		select o.id, o.space_id, o.${time} from feed cross join ${table} o on o.id = (
			select y.id from ${table} y where y.space_id = feed.space_id and ${where}
				and (y.${time}, y.id) ${isAfter} (feed.at, feed.id) ${inOrder})
		order by 3 ${sortOrder}, 1 ${sortOrder} limit ${limit} offset ${offset})
	select id from feed`
}
