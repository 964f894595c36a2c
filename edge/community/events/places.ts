import { type SQL, sql } from 'drizzle-orm'
import type { RsvpStatus } from '#schema/contract/community/member/events.ts'
import { eventRsvps, events } from '#schema/tables/community/content.ts'
import type { Db } from '../../platform/database/database.ts'
import { computeFirstNotifyAt } from '../notifications/pending-notification.ts'

/**
 * Returns statements that promote the longest-waiting members to the places of RSVPs, unless the event is over, and update
 * the counts. The same batch
 * then deletes those RSVPs; `rows` selects their rowids.
 */
export const settlePlacesStatements = (db: Db, rows: SQL, now: number) => {
	const of = sql`(select r.event_id from event_rsvps r where r.rowid in ${rows})`
	const going = sql`(
		select count(*) from event_rsvps g
		where g.event_id = e.id and g.status = 'going' and g.rowid not in ${rows}
	)`
	const countLeft = (status: RsvpStatus) => sql`(
		select count(*) from event_rsvps g
		where g.event_id = events.id and g.status = ${status} and g.rowid not in ${rows}
	)`
	const waiting = sql`(
		select r.id, r.event_id, row_number() over (partition by r.event_id order by r.id) as place
		from event_rsvps r
		where r.event_id in ${of} and r.status = 'waitlisted' and r.rowid not in ${rows}
	)`
	return {
		rsvpsPromoted: db
			.update(eventRsvps)
			.set({ status: 'going', updatedAt: now, notifyAt: computeFirstNotifyAt(now) })
			.where(
				sql`id in (
					select w.id from ${waiting} w
					join events e on e.id = w.event_id
					where e.ends_at > ${now} and (e.capacity is null or w.place <= e.capacity - ${going})
				)`,
			),
		rsvpCountsUpdated: db
			.update(events)
			.set({ goingCount: countLeft('going'), waitlistedCount: countLeft('waitlisted') })
			.where(sql`id in ${of}`),
	}
}

/** Returns statements that delete RSVPs. `rsvpsPromoted` returns the RSVPs that get their places. */
export const releasePlacesStatements = (db: Db, rows: SQL, now: number) => {
	const { rsvpsPromoted, rsvpCountsUpdated } = settlePlacesStatements(db, rows, now)
	return {
		rsvpsPromoted: rsvpsPromoted.returning({ id: eventRsvps.id }),
		rsvpCountsUpdated,
		rsvpsDeleted: db.delete(eventRsvps).where(sql`rowid in ${rows}`),
	}
}

/**
 * Selects the rowids of a former member's RSVPs to events that have not ended. A returning member does not get these places
 * back.
 */
export const selectPlacesLeftByMember = (membershipId: number, now: number): SQL =>
	sql`(
		select r.rowid from event_rsvps r
		cross join events e on e.id = r.event_id
		where r.membership_id = ${membershipId}
			and e.ends_at > ${now}
			and exists (select 1 from memberships m where m.id = ${membershipId} and m.status <> 'active')
	)`
