import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { RsvpStatus } from '#schema/contract/community/events.ts'
import { eventRsvps, events } from '#schema/tables/community-content.ts'
import type { Db } from '../../platform/database.ts'
import { recordEventIfChanged } from '../../platform/outbox.ts'
import { orgOf, type Viewer, visibleSpaces } from '../access/visible-spaces.ts'
import type { CalendarEvent } from '../calendar/icalendar.ts'
import { firstTellAt } from '../notifications/news.ts'
import { avatarOf, nameOf } from '../people.ts'
import { comingEvents } from './coming.ts'

export type EventRow = {
	id: number
	title: string
	description: string
	createdAt: number
	startsAt: number
	endsAt: number
	inPersonLocation: string | null
	virtualUrl: string | null
	goingCount: number
	myStatus: RsvpStatus | null
	spaceId: number
	spaceName: string
	spaceSlug: string
	hostId: number | null
	hostName: string | null
	hostAvatarUrl: string | null
	capacity: number | null
	waitlistEnabled: number
}
export type NewEvent = Pick<
	typeof events.$inferSelect,
	| 'title'
	| 'description'
	| 'startsAt'
	| 'endsAt'
	| 'inPersonLocation'
	| 'virtualUrl'
	| 'capacity'
	| 'waitlistEnabled'
>

type EventUpdate = {
	changed: boolean
	hasNews: boolean
	/** RSVPs that have a place now. */
	promoted: number[]
}

const idsOf = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id)

export type AttendeeRow = {
	id: number
	membershipId: number
	avatarUrl: string | null
	createdAt: number
	status: RsvpStatus
	name: string
}

/** Those that a statement names, as far as they are visible. */
const shown = (viewer: Viewer, place: SQL) => sql`
	from events e cross join spaces s on s.id = e.space_id
	where ${place} and e.community_id = ${viewer.communityId} and ${visibleSpaces(viewer)}`

/** An event outside of all spaces is for the whole community. */
const visibleEvent = (viewer: Viewer, eventId: number) => sql`
	events e left join spaces s on s.id = e.space_id
	where e.id = ${eventId} and e.community_id = ${viewer.communityId} and (e.space_id is null or ${visibleSpaces(viewer)})`

const goingTo = (eventId: number) =>
	sql`(select count(*) from event_rsvps g where g.event_id = ${eventId} and g.status = 'going')`

const columns = (viewer: Viewer) => sql`
	e.id, e.title, e.description, e.created_at as createdAt, e.starts_at as startsAt, e.ends_at as endsAt,
	e.in_person_location as inPersonLocation, e.virtual_url as virtualUrl, e.going_count as goingCount,
	(select r.status from event_rsvps r where r.event_id = e.id and r.membership_id = ${viewer.membershipId}) as myStatus,
	s.id as spaceId, s.name as spaceName, s.slug as spaceSlug, e.host_id as hostId,
	${nameOf(sql`e.host_id`)} as hostName, ${avatarOf(sql`e.host_id`, viewer.communityId)} as hostAvatarUrl,
	e.capacity, e.waitlist_enabled as waitlistEnabled`

/** How many will be going once the waiting list has moved up to a capacity: nobody is sent away. */
function goingAfter(eventId: number, capacity: number | null): SQL {
	const going = goingTo(eventId)
	const waiting = sql`(select count(*) from event_rsvps w where w.event_id = ${eventId} and w.status = 'waitlisted')`
	return capacity === null
		? sql`${going} + ${waiting}`
		: sql`${going} + min(${waiting}, max(0, ${capacity} - ${going}))`
}

export const eventStore = (db: Db) => ({
	async list(viewer: Viewer, limit: number, offset: number): Promise<EventRow[]> {
		return db.all(sql`
			select ${columns(viewer)} ${shown(viewer, sql`e.id in (${comingEvents(viewer, null, limit, offset)})`)} order by e.starts_at, e.id`)
	},

	async count(viewer: Viewer): Promise<number> {
		const [row] = await db.all<{ count: number }>(
			sql`select coalesce(sum((select count(*) from events e where e.space_id = s.id)), 0) as count from spaces s where ${visibleSpaces(viewer)}`,
		)
		return row?.count ?? 0
	},

	async isVisible(viewer: Viewer, eventId: number): Promise<boolean> {
		const rows = await db.all(sql`select e.id from ${visibleEvent(viewer, eventId)}`)
		return rows.length === 1
	},

	async find(viewer: Viewer, eventId: number): Promise<EventRow | undefined> {
		const [row] = await db.all<EventRow>(
			sql`select ${columns(viewer)} ${shown(viewer, sql`e.id = ${eventId}`)}`,
		)
		return row
	},

	async findForCalendar(viewer: Viewer, eventId: number): Promise<CalendarEvent | undefined> {
		const [row] = await db.all<CalendarEvent>(
			sql`select e.id, e.title, e.description, e.starts_at as startsAt, e.ends_at as endsAt, e.updated_at as updatedAt, e.in_person_location as inPersonLocation, e.virtual_url as virtualUrl from ${visibleEvent(viewer, eventId)}`,
		)
		return row
	},

	/** The id of the new event; nothing when the space is not visible. */
	async insert(viewer: Viewer, spaceId: number, event: NewEvent): Promise<number | undefined> {
		const { communityId, userId, now } = viewer
		const eventId = sql<number>`(select max(e.id) from events e where e.host_id = ${userId} and e.community_id = ${communityId})`
		const made = db
			.insert(events)
			.select(
				sql`select null, ${communityId}, s.id, ${userId}, ${event.title}, ${event.description}, ${event.startsAt}, ${event.endsAt}, ${event.inPersonLocation}, ${event.virtualUrl}, ${event.capacity}, ${event.waitlistEnabled ? 1 : 0}, 0, ${now}, ${now}, null from spaces s where s.id = ${spaceId} and ${visibleSpaces(viewer)}`,
			)
			.returning({ id: events.id })
		const payload = { communityId, eventId }
		const told = { type: 'community.event_created' as const, orgId: orgOf(communityId), payload }
		const [[row]] = await db.batch([made, recordEventIfChanged(db, now, told)])
		return row?.id
	},

	/**
	 * Lets those in who now have a place. Not changed when the event is not visible, or would end before it starts.
	 * Those who attend are told of another time or place, and of nothing else.
	 */
	async update(viewer: Viewer, eventId: number, change: Partial<NewEvent>): Promise<EventUpdate> {
		const start = change.startsAt === undefined ? sql`starts_at` : sql`${change.startsAt}`
		const end = change.endsAt === undefined ? sql`ends_at` : sql`${change.endsAt}`
		const isSeen = sql`exists (select 1 ${shown(viewer, sql`e.id = ${eventId}`)})`
		const { startsAt, endsAt, inPersonLocation, virtualUrl } = change
		const differs = [
			startsAt !== undefined && sql`starts_at <> ${startsAt}`,
			endsAt !== undefined && sql`ends_at <> ${endsAt}`,
			inPersonLocation !== undefined && sql`in_person_location is not ${inPersonLocation}`,
			virtualUrl !== undefined && sql`virtual_url is not ${virtualUrl}`,
		].filter((condition) => condition !== false)
		const tellAt =
			differs.length > 0 &&
			sql`case when ${sql.join(differs, sql` or `)} then ${firstTellAt(viewer.now)} else tell_at end`
		const withCapacity = (goingCount?: SQL) =>
			db
				.update(events)
				.set({
					...change,
					...(goingCount && { goingCount }),
					...(tellAt && { tellAt }),
					updatedAt: viewer.now,
				})
				.where(and(eq(events.id, eventId), isSeen, sql`${start} <= ${end}`))
				.returning({ tellAt: events.tellAt })
		const updateOf = (rows: { tellAt: number | null }[], promoted: number[]) => ({
			changed: rows.length === 1,
			hasNews: rows.some((row) => row.tellAt !== null),
			promoted,
		})
		if (change.capacity === undefined) return updateOf(await withCapacity(), [])
		const [rows, promoted] = await db.batch([
			withCapacity(goingAfter(eventId, change.capacity)),
			this.promote(eventId, viewer.communityId, viewer.now),
		])
		return updateOf(rows, idsOf(promoted))
	},

	async remove(viewer: Viewer, eventId: number): Promise<boolean> {
		const [removed] = await db.batch([
			db
				.delete(events)
				.where(and(eq(events.id, eventId), sql`exists (select 1 ${shown(viewer, sql`e.id = ${eventId}`)})`))
				.returning({ id: events.id }),
			recordEventIfChanged(db, viewer.now, {
				type: 'community.event_deleted',
				orgId: orgOf(viewer.communityId),
				payload: { communityId: viewer.communityId, eventId },
			}),
			db
				.delete(eventRsvps)
				.where(
					and(
						eq(eventRsvps.eventId, eventId),
						sql`not exists (select 1 from events e where e.id = ${eventId})`,
					),
				),
		])
		return removed.length === 1
	},

	async listAttendees(eventId: number): Promise<AttendeeRow[]> {
		return db.all(sql`
			select r.id, m.id as membershipId, m.avatar_url as avatarUrl, r.created_at as createdAt, r.status, u.name
			from event_rsvps r
			cross join memberships m on m.id = r.membership_id
			cross join users u on u.id = m.user_id
			where r.event_id = ${eventId} order by r.id`)
	},

	/**
	 * Going, or waiting when it is full; nothing when it is full and nobody may wait. Counting and taking the place
	 * are one statement, so that of many at once no more get in than fit.
	 */
	async attend(viewer: Viewer, eventId: number): Promise<RsvpStatus | undefined> {
		const { membershipId, now } = viewer
		const mine = sql`select 1 from event_rsvps mine where mine.event_id = e.id and mine.membership_id = ${membershipId} and mine.status = 'going'`
		const hasPlace = sql`(e.capacity is null or ${goingTo(eventId)} < e.capacity or exists (${mine}))`
		const [taken] = await db.batch([
			db
				.insert(eventRsvps)
				.select(
					sql`select null, e.id, ${membershipId}, case when ${hasPlace} then 'going' else 'waitlisted' end, ${now}, ${now}, null from ${visibleEvent(viewer, eventId)} and (e.waitlist_enabled or ${hasPlace})`,
				)
				.onConflictDoUpdate({
					target: [eventRsvps.eventId, eventRsvps.membershipId],
					set: { status: sql`excluded.status`, updatedAt: now },
				})
				.returning({ status: eventRsvps.status }),
			this.recount(eventId),
		])
		return taken[0]?.status
	},

	/**
	 * Takes the RSVP away and lets those in who wait longest, in one batch. `removed` is false without an RSVP;
	 * `isVisible` tells whether the viewer sees the event.
	 */
	async leave(
		viewer: Viewer,
		eventId: number,
	): Promise<{ removed: boolean; isVisible: boolean; promoted: number[] }> {
		const [removed, promoted, seen] = await db.batch([
			db
				.delete(eventRsvps)
				.where(and(eq(eventRsvps.eventId, eventId), eq(eventRsvps.membershipId, viewer.membershipId)))
				.returning({ id: eventRsvps.id }),
			this.promote(eventId, viewer.communityId, viewer.now),
			this.recount(eventId).returning({
				isVisible: sql<number>`exists (select 1 from ${visibleEvent(viewer, eventId)})`.as('is_visible'),
			}),
		])
		return { removed: removed.length === 1, isVisible: seen[0]?.isVisible === 1, promoted: idsOf(promoted) }
	},

	/** Statement for a batch: as many of the waiting list as fit now, first come first served. */
	promote(eventId: number, communityId: number, now: number) {
		const places = sql`coalesce((select case when e.capacity is null then -1 else max(0, e.capacity - ${goingTo(eventId)}) end from events e where e.id = ${eventId} and e.community_id = ${communityId}), 0)`
		return db
			.update(eventRsvps)
			.set({ status: 'going', updatedAt: now, tellAt: firstTellAt(now) })
			.where(
				sql`id in (select w.id from event_rsvps w where w.event_id = ${eventId} and w.status = 'waitlisted' order by w.id limit ${places})`,
			)
			.returning({ id: eventRsvps.id })
	},

	/** Statement for a batch, behind whatever changed the RSVPs of the event. */
	recount(eventId: number) {
		return db
			.update(events)
			.set({ goingCount: goingTo(eventId) })
			.where(eq(events.id, eventId))
	},
})
