import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { RsvpStatus } from '#schema/contract/community/member/events.ts'
import { eventRsvps, events } from '#schema/tables/community/content.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { hasValues } from '../../platform/database/has-values.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { recordEventIfChangedStatement, recordEventIfStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { acceptsPosts } from '../access/space-policies.ts'
import { isStillMember, selectOrgId, type Viewer, visibleSpaces } from '../access/visible-spaces.ts'
import type { CalendarEvent } from '../calendar/icalendar.ts'
import {
	notifyOfCancellationStatement,
	recordCancelledEventStatement,
} from '../notifications/cancellation-store.ts'
import { computeFirstNotifyAt } from '../notifications/pending-notification.ts'
import type { PushTo } from '../notifications/push.ts'
import { memberName, selectPerson } from '../people.ts'
import { countEvents, type EventFilter, selectEvents } from './filtered-events.ts'

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
	/** JSON. */
	host: string | null
	capacity: number | null
	waitlistEnabled: number
	waitlistedCount: number
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

export const pickEditableColumns = (row: EventRow): NewEvent => ({
	title: row.title,
	description: row.description,
	startsAt: row.startsAt,
	endsAt: row.endsAt,
	inPersonLocation: row.inPersonLocation,
	virtualUrl: row.virtualUrl,
	capacity: row.capacity,
	waitlistEnabled: row.waitlistEnabled === 1,
})

type EventUpdate = {
	changed: boolean
	needsNotification: boolean
	/** Ids of the RSVPs that were promoted from the waitlist. */
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

/** Joins the visible events in a space that match a condition. */
const visibleEvents = (viewer: Viewer, condition: SQL) => sql`
	from events e cross join spaces s on s.id = e.space_id
	where ${condition} and e.community_id = ${viewer.communityId} and ${visibleSpaces(viewer)}`

/** Joins a visible event. An event without a space is visible to the whole community. */
const visibleEvent = (viewer: Viewer, eventId: number) => sql`
	events e
	left join spaces s on s.id = e.space_id
	where e.id = ${eventId}
		and e.community_id = ${viewer.communityId}
		and (e.space_id is null or ${visibleSpaces(viewer)})
`

const countRsvps = (eventId: number, status: RsvpStatus) =>
	sql`(select count(*) from event_rsvps g where g.event_id = ${eventId} and g.status = ${status})`

const goingTo = (eventId: number) => countRsvps(eventId, 'going')

const columns = (viewer: Viewer) => sql`
	e.id, e.title, e.description, e.created_at as createdAt, e.starts_at as startsAt, e.ends_at as endsAt,
	e.in_person_location as inPersonLocation, e.virtual_url as virtualUrl, e.going_count as goingCount,
	(
		select r.status from event_rsvps r where r.event_id = e.id and r.membership_id = ${viewer.membershipId}
	) as myStatus,
	s.id as spaceId, s.name as spaceName, s.slug as spaceSlug,
	${selectPerson(sql`e.host_id`, viewer.communityId)} as host, e.capacity,
	e.waitlist_enabled as waitlistEnabled, e.waitlisted_count as waitlistedCount
`

/**
 * SQL for the counts after promoting the waitlist to a new capacity, unless the event is over. Lowering the capacity
 * removes no attendees.
 */
function countsAfter(eventId: number, capacity: number | null, isOver: SQL) {
	const [going, waiting] = [goingTo(eventId), countRsvps(eventId, 'waitlisted')]
	const free = capacity === null ? waiting : sql`min(${waiting}, max(0, ${capacity} - ${going}))`
	const promoted = sql`case when ${isOver} then 0 else ${free} end`
	return { goingCount: sql`${going} + ${promoted}`, waitlistedCount: sql`${waiting} - ${promoted}` }
}

export const eventStore = (db: Db) => ({
	async list(viewer: Viewer, filter: EventFilter, limit: number, offset: number): Promise<EventRow[]> {
		const ids = selectEvents(viewer, filter, limit, offset)
		return db.all(sql`
			select ${columns(viewer)} ${visibleEvents(viewer, sql`e.id in (${ids})`)}
			order by e.starts_at, e.id
		`)
	},

	async count(viewer: Viewer, filter: EventFilter): Promise<number> {
		const [row] = await db.all<{ count: number }>(countEvents(viewer, filter))
		return row?.count ?? 0
	},

	/** Returns when a visible event ends. */
	async findEnd(viewer: Viewer, eventId: number): Promise<number | undefined> {
		const [row] = await db.all<{ endsAt: number }>(
			sql`select e.ends_at as endsAt from ${visibleEvent(viewer, eventId)}`,
		)
		return row?.endsAt
	},

	async find(viewer: Viewer, eventId: number): Promise<EventRow | undefined> {
		const [row] = await db.all<EventRow>(
			sql`select ${columns(viewer)} ${visibleEvents(viewer, sql`e.id = ${eventId}`)}`,
		)
		return row
	},

	async findForCalendar(viewer: Viewer, eventId: number): Promise<CalendarEvent | undefined> {
		const [row] = await db.all<CalendarEvent>(
			sql`
				select e.id, e.title, e.description, e.starts_at as startsAt, e.ends_at as endsAt,
					e.updated_at as updatedAt, e.in_person_location as inPersonLocation, e.virtual_url as virtualUrl
				from ${visibleEvent(viewer, eventId)}
			`,
		)
		return row
	},

	/** Returns the id of the new event; undefined if the space is not visible or does not accept the event. */
	async insert(
		work: UnitOfWork,
		viewer: Viewer,
		spaceId: number,
		event: NewEvent,
	): Promise<number | undefined> {
		const { communityId, userId, now } = viewer
		const eventId = sql<number>`
			(select max(e.id) from events e where e.host_id = ${userId} and e.community_id = ${communityId})
		`
		const insert = insertSelect(
			db,
			events,
			{
				communityId,
				spaceId: sql`s.id`,
				hostId: userId,
				title: event.title,
				description: event.description,
				startsAt: event.startsAt,
				endsAt: event.endsAt,
				inPersonLocation: event.inPersonLocation,
				virtualUrl: event.virtualUrl,
				capacity: event.capacity,
				waitlistEnabled: event.waitlistEnabled,
				createdAt: now,
				updatedAt: now,
			},
			sql`from spaces s where s.id = ${spaceId} and ${visibleSpaces(viewer)} and ${acceptsPosts(viewer)}`,
		).returning({ id: events.id })
		const payload = { communityId, eventId }
		const createdEvent = {
			type: 'event.created' as const,
			orgId: selectOrgId(communityId),
			payload,
		}
		const {
			eventInserted: [row],
		} = await batch(db, {
			eventInserted: insert,
			eventRecorded: recordEventIfChangedStatement(work, createdEvent),
		})
		return row?.id
	},

	/**
	 * Updates an event and promotes the waitlist. Changes nothing if the event is not visible, would end before it starts,
	 * or no longer has the values `before`.
	 * Requests a notification of attendees only for a new time or location.
	 */
	async update(
		work: UnitOfWork,
		viewer: Viewer,
		eventId: number,
		change: Partial<NewEvent>,
		before?: NewEvent,
	): Promise<EventUpdate> {
		const start = change.startsAt === undefined ? sql`starts_at` : sql`${change.startsAt}`
		const end = change.endsAt === undefined ? sql`ends_at` : sql`${change.endsAt}`
		const isSeen = sql`exists (select 1 ${visibleEvents(viewer, sql`e.id = ${eventId}`)})`
		const { startsAt, endsAt, inPersonLocation, virtualUrl } = change
		const differs = [
			startsAt !== undefined && sql`starts_at <> ${startsAt}`,
			endsAt !== undefined && sql`ends_at <> ${endsAt}`,
			inPersonLocation !== undefined && sql`in_person_location is not ${inPersonLocation}`,
			virtualUrl !== undefined && sql`virtual_url is not ${virtualUrl}`,
		].filter((condition) => condition !== false)
		const notifyAt =
			differs.length > 0 &&
			sql`case when ${sql.join(differs, sql` or `)} then ${computeFirstNotifyAt(viewer.now)} else notify_at end`
		const withCapacity = (counts: { goingCount?: SQL; waitlistedCount?: SQL } = {}) =>
			db
				.update(events)
				.set({
					...change,
					...counts,
					...(notifyAt && { notifyAt }),
					updatedAt: viewer.now,
				})
				.where(
					and(eq(events.id, eventId), isSeen, sql`${start} <= ${end}`, before && hasValues(events, before)),
				)
				.returning({ notifyAt: events.notifyAt })
		const updateOf = (rows: { notifyAt: number | null }[], promoted: number[]) => ({
			changed: rows.length === 1,
			needsNotification: rows.some((row) => row.notifyAt !== null),
			promoted,
		})
		const eventRecorded = recordEventIfChangedStatement(work, {
			type: 'event.updated',
			orgId: selectOrgId(viewer.communityId),
			payload: { communityId: viewer.communityId, eventId },
		})
		if (change.capacity === undefined) {
			const { eventUpdated } = await batch(db, { eventUpdated: withCapacity(), eventRecorded })
			return updateOf(eventUpdated, [])
		}
		const { capacityChanged: rows, promoted } = await batch(db, {
			capacityChanged: withCapacity(countsAfter(eventId, change.capacity, sql`${end} <= ${viewer.now}`)),
			eventRecorded,
			promoted: this.promoteStatement(eventId, viewer.communityId, viewer.now),
		})
		return updateOf(rows, idsOf(promoted))
	},

	/** Deletes the event. Returns the notifications of attendees and waiting members; undefined if the event is not visible. */
	async remove(work: UnitOfWork, viewer: Viewer, eventId: number): Promise<PushTo[] | undefined> {
		const { eventDeleted, notified } = await batch(db, {
			cancelledEventKept: recordCancelledEventStatement(db, viewer, eventId),
			eventDeleted: db
				.delete(events)
				.where(
					and(
						eq(events.id, eventId),
						sql`exists (select 1 ${visibleEvents(viewer, sql`e.id = ${eventId}`)})`,
					),
				)
				.returning({ id: events.id }),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'event.deleted',
				orgId: selectOrgId(viewer.communityId),
				payload: { communityId: viewer.communityId, eventId },
			}),
			notified: notifyOfCancellationStatement(db, viewer, eventId),
			rsvpsDeleted: db
				.delete(eventRsvps)
				.where(
					and(
						eq(eventRsvps.eventId, eventId),
						sql`not exists (select 1 from events e where e.id = ${eventId})`,
					),
				),
		})
		return eventDeleted.length === 1 ? notified : undefined
	},

	async listAttendees(eventId: number): Promise<AttendeeRow[]> {
		return db.all(sql`
			select r.id, m.id as membershipId, m.avatar_url as avatarUrl, r.created_at as createdAt, r.status,
				${memberName} as name
			from event_rsvps r
			cross join memberships m on m.id = r.membership_id
			cross join users u on u.id = m.user_id
			where r.event_id = ${eventId}
			order by r.id
		`)
	},

	/**
	 * Attends an event, or joins its waitlist if it is full. Returns undefined if there is no waitlist, or the event is
	 * over; a repeated call by an attendee succeeds. Counts and inserts in one statement, so that concurrent requests
	 * can't exceed the capacity.
	 */
	async attend(work: UnitOfWork, viewer: Viewer, eventId: number): Promise<RsvpStatus | undefined> {
		const { communityId, membershipId, now } = viewer
		const mine = sql`
			select 1 from event_rsvps mine
			where mine.event_id = e.id and mine.membership_id = ${membershipId} and mine.status = 'going'
		`
		const hasPlace = sql`(e.capacity is null or ${goingTo(eventId)} < e.capacity or exists (${mine}))`
		const status = sql`case when ${hasPlace} then 'going' else 'waitlisted' end`
		const storable = sql`
			${visibleEvent(viewer, eventId)}
				and (e.waitlist_enabled or ${hasPlace})
				and (e.ends_at > ${now} or exists (${mine}))
				and ${isStillMember(viewer)}
		`
		const { rsvpStored } = await batch(db, {
			// Runs before the change, because a repeated call updates the row, too, with the same status.
			eventRecorded: recordEventIfStatement(
				work,
				{
					type: 'rsvp.changed',
					orgId: selectOrgId(communityId),
					payload: {
						communityId,
						eventId,
						memberId: membershipId,
						status: sql`(select ${status} from events e where e.id = ${eventId})`,
					},
				},
				sql`exists (
					select 1 from ${storable} and not exists (
						select 1 from event_rsvps same
						where same.event_id = e.id and same.membership_id = ${membershipId} and same.status = ${status}
					)
				)`,
			),
			rsvpStored: insertSelect(
				db,
				eventRsvps,
				{
					eventId: sql`e.id`,
					membershipId,
					status,
					createdAt: now,
					updatedAt: now,
				},
				sql`from ${storable}`,
			)
				.onConflictDoUpdate({
					target: [eventRsvps.eventId, eventRsvps.membershipId],
					set: { status: sql`excluded.status`, updatedAt: now },
				})
				.returning({ status: eventRsvps.status }),
			countsUpdated: this.recountStatement(eventId),
		})
		return rsvpStored[0]?.status
	},

	/**
	 * Deletes the RSVP and promotes the longest-waiting members in one batch. `removed` is false without an RSVP;
	 * `isVisible` is true if the viewer sees the event.
	 */
	async leave(
		work: UnitOfWork,
		viewer: Viewer,
		eventId: number,
	): Promise<{ removed: boolean; isVisible: boolean; promoted: number[] }> {
		const { rsvpDeleted, promoted, seen } = await batch(db, {
			rsvpDeleted: db
				.delete(eventRsvps)
				.where(and(eq(eventRsvps.eventId, eventId), eq(eventRsvps.membershipId, viewer.membershipId)))
				.returning({ id: eventRsvps.id }),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'rsvp.deleted',
				orgId: selectOrgId(viewer.communityId),
				payload: { communityId: viewer.communityId, eventId, memberId: viewer.membershipId },
			}),
			promoted: this.promoteStatement(eventId, viewer.communityId, viewer.now),
			seen: this.recountStatement(eventId).returning({
				isVisible: sql<number>`exists (select 1 from ${visibleEvent(viewer, eventId)})`.as('is_visible'),
			}),
		})
		return {
			removed: rsvpDeleted.length === 1,
			isVisible: seen[0]?.isVisible === 1,
			promoted: idsOf(promoted),
		}
	},

	/**
	 * Returns a statement that promotes as many RSVPs from the waitlist as there are free places, longest wait first. Nobody
	 * gets a place at an event that is over.
	 */
	promoteStatement(eventId: number, communityId: number, now: number) {
		const places = sql`coalesce(
			(
				select case
					when e.ends_at <= ${now} then 0
					when e.capacity is null then -1
					else max(0, e.capacity - ${goingTo(eventId)})
				end
				from events e
				where e.id = ${eventId} and e.community_id = ${communityId}
			),
			0
		)`
		return db
			.update(eventRsvps)
			.set({ status: 'going', updatedAt: now, notifyAt: computeFirstNotifyAt(now) })
			.where(
				sql`id in (
					select w.id from event_rsvps w
					where w.event_id = ${eventId} and w.status = 'waitlisted'
					order by w.id limit ${places}
				)`,
			)
			.returning({ id: eventRsvps.id })
	},

	/** Returns a statement that updates the numbers of attendees and waiting members. Must run after the statement that changes the RSVPs. */
	recountStatement(eventId: number) {
		return db
			.update(events)
			.set({ goingCount: goingTo(eventId), waitlistedCount: countRsvps(eventId, 'waitlisted') })
			.where(eq(events.id, eventId))
	},
})
