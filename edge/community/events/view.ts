import type { Attendee, CommunityEvent } from '#schema/contract/community/member/events.ts'
import type { State } from '../../http/entity-tag.ts'
import { toIso } from '../../platform/clock.ts'
import { viewPerson } from '../people.ts'
import { type AttendeeRow, type EventRow, pickEditableColumns } from './store.ts'

export const viewEvent = (row: EventRow): CommunityEvent => ({
	id: row.id,
	display_title: row.title,
	slug: String(row.id),
	body_plain_text: row.description,
	url: `/events/${row.id}`,
	created_at: toIso(row.createdAt),
	event_type: row.virtualUrl === null ? 'in_person' : 'virtual',
	rsvp_count: row.goingCount,
	waitlisted_count: row.waitlistedCount,
	capacity: row.capacity,
	waitlist_enabled: row.waitlistEnabled === 1,
	rsvped_event: row.myStatus,
	event_setting_attributes: {
		starts_at: toIso(row.startsAt),
		ends_at: toIso(row.endsAt),
		in_person_location: row.inPersonLocation,
		virtual_location_url: row.virtualUrl,
		rsvp_limit: null,
	},
	space: { id: row.spaceId, name: row.spaceName, slug: row.spaceSlug },
	author: viewPerson(row.host),
})

/** Returns the columns that an update may change, under the names of their fields. */
export const readEventState = (row: EventRow): State => {
	const { startsAt, endsAt, inPersonLocation, virtualUrl, waitlistEnabled, ...others } =
		pickEditableColumns(row)
	return {
		...others,
		starts_at: startsAt,
		ends_at: endsAt,
		in_person_location: inPersonLocation,
		virtual_location_url: virtualUrl,
		waitlist_enabled: waitlistEnabled,
	}
}

export const viewAttendee = (row: AttendeeRow): Attendee => ({
	id: row.id,
	community_member_id: row.membershipId,
	avatar_url: row.avatarUrl,
	rsvp_date: toIso(row.createdAt),
	rsvp_status: row.status,
	name: row.name,
})
