import { type SQL, sql } from 'drizzle-orm'
import { mergedSpaces } from '../access/merged-spaces.ts'
import type { Viewer } from '../access/visible-spaces.ts'

/** Ids of a page of events that start from some instant on (null: ever), in the order of the calendar. */
export function comingEvents(viewer: Viewer, from: number | null, limit: number, offset: number): SQL {
	const line = { rows: 'events', at: 'starts_at', order: 'earliest first' } as const
	const since = from === null ? {} : { from: sql`y.starts_at >= ${from}` }
	return mergedSpaces(viewer, { ...line, ...since }, limit, offset)
}
