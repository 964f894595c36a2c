import { type SQL, sql } from 'drizzle-orm'
import { mergeSpaces } from '../access/merged-spaces.ts'
import type { Viewer } from '../access/visible-spaces.ts'

/** Selects the ids of one page of events that start at `from` or later (all events if null), in calendar order. */
export function selectUpcomingEvents(
	viewer: Viewer,
	from: number | null,
	limit: number,
	offset: number,
): SQL {
	const rowOrder = { rows: 'events', at: 'starts_at', order: 'earliest first' } as const
	const since = from === null ? {} : { from: sql`y.starts_at >= ${from}` }
	return mergeSpaces(viewer, { ...rowOrder, ...since }, limit, offset)
}
