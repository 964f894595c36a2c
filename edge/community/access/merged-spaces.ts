import { type SQL, sql } from 'drizzle-orm'
import { type Viewer, visibleSpaces } from './visible-spaces.ts'

/** Rows that belong to spaces, and the order they are read in: by a time, then by id. Each has an index along it. */
type Line = {
	rows: 'posts' | 'events'
	at: 'created_at' | 'starts_at'
	order: 'newest first' | 'earliest first'
	/** What else holds for a row, which is called `y`. */
	where?: SQL
	/** And for the first of a space: those behind it are found by their order alone. */
	from?: SQL
}

/**
 * Ids of a page of what a viewer sees, over all spaces. The visible spaces are merged: each has its first row in a queue,
 * and what is taken from it is followed by the next one of the same space. Along all rows of the community those of
 * somebody who sees little could be very far apart.
 */
export function mergedSpaces(viewer: Viewer, line: Line, limit: number, offset: number): SQL {
	const { rows, at, order, where = sql`true`, from = sql`true` } = line
	const [direction, comparison] = order === 'newest first' ? ['desc', '<'] : ['asc', '>']
	const [table, time, way, beyond] = [rows, at, direction, comparison].map((text) => sql.raw(text))
	const inOrder = sql`order by y.${time} ${way}, y.id ${way} limit 1`
	return sql`
	with recursive feed(id, space_id, at) as (
		select o.id, o.space_id, o.${time} from spaces s cross join ${table} o on o.id = (
			select y.id from ${table} y where y.space_id = s.id and ${where} and ${from} ${inOrder})
		where ${visibleSpaces(viewer)}
		union all
		select o.id, o.space_id, o.${time} from feed cross join ${table} o on o.id = (
			select y.id from ${table} y where y.space_id = feed.space_id and ${where}
				and (y.${time}, y.id) ${beyond} (feed.at, feed.id) ${inOrder})
		order by 3 ${way}, 1 ${way} limit ${limit} offset ${offset})
	select id from feed`
}
