import { sql } from 'drizzle-orm'
import { cancelledEvents, notifications } from '#schema/tables/community/notifications.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { selectSpacesVisibleToMember, type Viewer, visibleSpaces } from '../access/visible-spaces.ts'
import { isNotMuted } from './notify-store.ts'

/**
 * Returns a statement that keeps the title and the space of an event for notifications, unless the event has ended. Must
 * run in the batch that deletes the event, before the deletion.
 */
export const recordCancelledEventStatement = (db: Db, viewer: Viewer, eventId: number) =>
	insertSelect(
		db,
		cancelledEvents,
		{
			id: sql`e.id`,
			communityId: sql`e.community_id`,
			spaceId: sql`e.space_id`,
			title: sql`e.title`,
			createdAt: viewer.now,
		},
		sql`
			from events e
			cross join spaces s on s.id = e.space_id
			where e.id = ${eventId}
				and e.community_id = ${viewer.communityId}
				and e.ends_at > ${viewer.now}
				and ${visibleSpaces(viewer)}
		`,
	).onConflictDoNothing()

/**
 * Returns a statement that notifies all attendees and waiting members, except whoever deletes the event. Must run in the
 * same batch, after the event and before its RSVPs are deleted. A second deletion finds no RSVPs, so it notifies no one.
 */
export const notifyOfCancellationStatement = (db: Db, viewer: Viewer, eventId: number) =>
	insertSelect(
		db,
		notifications,
		{
			membershipId: sql`t.membership_id`,
			kind: sql`t.kind`,
			subjectId: sql`t.subject_id`,
			createdAt: viewer.now,
		},
		sql`from (
				select m.id as membership_id, d.id as subject_id, 'event_cancelled' as kind
				from cancelled_events d cross join spaces s on s.id = d.space_id
				cross join event_rsvps g on g.event_id = d.id
				cross join memberships m on m.id = g.membership_id and m.id <> ${viewer.membershipId}
				where d.id = ${eventId} and not exists (select 1 from events e where e.id = d.id)
					and ${selectSpacesVisibleToMember(viewer.now)}) t
			where ${isNotMuted}`,
	).returning({ id: notifications.id, membershipId: notifications.membershipId, kind: notifications.kind })
