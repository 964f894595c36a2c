import { type SQL, sql } from 'drizzle-orm'
import { eventRsvps, events } from '#schema/tables/community-content.ts'
import type { Db } from '../../platform/database.ts'
import { firstTellAt } from '../notifications/news.ts'

/**
 * Statements for the batch in which RSVPs go, right before they do; `rows` is a subselect of their rowids. Places that
 * become free go to those who wait longest, and the events count who is left.
 */
export const settlePlaces = (db: Db, rows: SQL, now: number) => {
	const of = sql`(select r.event_id from event_rsvps r where r.rowid in ${rows})`
	const going = sql`(select count(*) from event_rsvps g where g.event_id = e.id and g.status = 'going' and g.rowid not in ${rows})`
	const waiting = sql`(select r.id, r.event_id, row_number() over (partition by r.event_id order by r.id) as place from event_rsvps r where r.event_id in ${of} and r.status = 'waitlisted' and r.rowid not in ${rows})`
	return [
		db
			.update(eventRsvps)
			.set({ status: 'going', updatedAt: now, tellAt: firstTellAt(now) })
			.where(
				sql`id in (select w.id from ${waiting} w join events e on e.id = w.event_id where e.capacity is null or w.place <= e.capacity - ${going})`,
			),
		db
			.update(events)
			.set({
				goingCount: sql`(select count(*) from event_rsvps g where g.event_id = events.id and g.status = 'going' and g.rowid not in ${rows})`,
			})
			.where(sql`id in ${of}`),
	] as const
}
