import { type SQL, sql } from 'drizzle-orm'
import { type Viewer, visibleSpaces } from '../access/visible-spaces.ts'

/**
 * Ids of a page of events that start from some instant on (null: ever), in the order of the calendar. The visible spaces
 * are merged, as the home feed's are: along all events of the community those of somebody who sees little could be very
 * far apart.
 */
export function comingEvents(viewer: Viewer, from: number | null, limit: number, offset: number): SQL {
	const since = from === null ? sql`` : sql`and y.starts_at >= ${from}`
	return sql`
	with recursive feed(id, space_id, starts_at) as (
		select o.id, o.space_id, o.starts_at from spaces s cross join events o on o.id = (
			select y.id from events y where y.space_id = s.id ${since} order by y.starts_at, y.id limit 1)
		where ${visibleSpaces(viewer)}
		union all
		select o.id, o.space_id, o.starts_at from feed cross join events o on o.id = (
			select y.id from events y where y.space_id = feed.space_id and (y.starts_at, y.id) > (feed.starts_at, feed.id)
			order by y.starts_at, y.id limit 1)
		order by 3, 1 limit ${limit} offset ${offset})
	select id from feed`
}
