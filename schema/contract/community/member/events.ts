import { z } from 'zod'
import { openBySpecification } from '../../kit/bodies/open-bodies.ts'
import { Instant, Line, pathInt, Timestamp, WebUrl } from '../../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../../kit/headers/entity-tag.ts'
import { describeOperations } from '../../kit/operation.ts'
import {
	Author,
	CommunityMemberId,
	fixedListSchema,
	Id,
	ListQuery,
	pagedListSchema,
	SpaceRef,
	Success,
} from '../fields.ts'
import { updateSchema } from '../manage/communities.ts'

const operation = describeOperations('Community: events')
const params = z.object({ eventId: pathInt })

export const RsvpStatus = z.enum(['going', 'waitlisted'])
export type RsvpStatus = z.infer<typeof RsvpStatus>

export const CommunityEvent = z
	.object({
		id: Id,
		display_title: z.string(),
		slug: z.string(),
		body_plain_text: z.string(),
		url: z.string(),
		created_at: Timestamp,
		event_type: z.enum(['virtual', 'in_person']),
		rsvp_count: z.int().nonnegative().meta({ description: 'Number of RSVPs with the status `going`' }),
		waitlisted_count: z
			.int()
			.nonnegative()
			.meta({ description: 'Number of RSVPs with the status `waitlisted`' }),
		capacity: z.int().nullable().meta({ description: 'The maximum number of attendees; null for no limit' }),
		waitlist_enabled: z.boolean(),
		rsvped_event: RsvpStatus.nullable().meta({ description: "The status of the caller's RSVP" }),
		event_setting_attributes: z.object({
			starts_at: Timestamp,
			ends_at: Timestamp,
			in_person_location: z.string().nullable(),
			virtual_location_url: z.string().nullable(),
			rsvp_limit: z.null(),
		}),
		space: SpaceRef,
		author: Author,
	})
	.meta({ id: 'CommunityEvent' })
export type CommunityEvent = z.infer<typeof CommunityEvent>

const EventQuery = ListQuery.extend({
	from: Instant.optional().meta({ description: 'Only events that start at this time or later' }),
	to: Instant.optional().meta({ description: 'Only events that start before this time' }),
	space_id: pathInt.optional().meta({ description: 'Only events in this space' }),
	mine: z
		.enum(['true', 'false'])
		.default('false')
		.meta({ description: '`true` lists only events with an RSVP of the caller: going or on the waitlist' }),
})
export type EventQuery = z.infer<typeof EventQuery>

export const listCommunityEvents = operation({
	id: 'listCommunityEvents',
	method: 'get',
	path: '/api/headless/v1/community_events',
	summary: 'List the events that the caller can see, earliest first',
	description:
		'All filters combine. `count` is the number of events that match them. Without `from`, the list starts with the oldest event.',
	auth: 'member',
	query: EventQuery,
	response: pagedListSchema(CommunityEvent),
})

export const Attendee = z
	.object({
		id: Id,
		community_member_id: CommunityMemberId,
		avatar_url: z.string().nullable(),
		rsvp_date: Timestamp,
		rsvp_status: RsvpStatus,
		name: z.string(),
	})
	.meta({ id: 'Attendee' })
export type Attendee = z.infer<typeof Attendee>

export const listAttendees = operation({
	id: 'listAttendees',
	method: 'get',
	path: '/api/headless/v1/events/{eventId}/event_attendees',
	summary: 'List all RSVPs of an event, oldest first',
	auth: 'member',
	params,
	response: fixedListSchema(Attendee),
})

export const attendEvent = operation({
	id: 'attendEvent',
	method: 'post',
	path: '/api/headless/v1/events/{eventId}/event_attendees',
	summary: 'RSVP to an event',
	description:
		'If the event is full, the caller joins the waitlist; `rsvp_status` says which. Returns 409 if the event is full and has no waitlist, or is over. Cancelling an RSVP stays possible then.',
	auth: 'member',
	audit: 'none: own membership',
	openBody: openBySpecification,
	params,
	response: Success.extend({ rsvp_status: RsvpStatus }).meta({ id: 'Rsvp' }),
	errors: ['conflict'],
})

export const leaveEvent = operation({
	id: 'leaveEvent',
	method: 'delete',
	path: '/api/headless/v1/events/{eventId}/event_attendees',
	summary: 'Cancel an RSVP',
	description:
		'The first member on the waitlist gets the place. Succeeds if there is no RSVP. Also works for an event that the caller can no longer see.',
	auth: 'member',
	audit: 'none: own membership',
	openBody: openBySpecification,
	params,
	response: Success,
})

const Text = z.string().trim()
const fields = {
	title: Line.min(1).max(200),
	description: Text.max(20_000),
	starts_at: Instant,
	ends_at: Instant,
	in_person_location: Text.min(1).max(500).nullable(),
	virtual_location_url: WebUrl.nullable(),
	capacity: z.int().positive().max(1_000_000).nullable().meta({ description: 'null for no limit' }),
	waitlist_enabled: z.boolean(),
}

export const getEvent = operation({
	id: 'getEvent',
	method: 'get',
	path: '/api/headless/v1/events/{eventId}',
	summary: 'Get an event',
	auth: 'member',
	params,
	...returnsEtag,
	response: CommunityEvent,
})

export const createEvent = operation({
	id: 'createEvent',
	method: 'post',
	path: '/api/headless/v1/spaces/{spaceId}/events',
	summary: 'Create an event in a space',
	description:
		'Requires the role moderator, admin or owner. The caller becomes the host. `ends_at` must not be before `starts_at` (400).',
	auth: 'member',
	audit: 'none: content',
	params: z.object({ spaceId: pathInt }),
	body: z.object({
		...fields,
		description: fields.description.default(''),
		in_person_location: fields.in_person_location.default(null),
		virtual_location_url: fields.virtual_location_url.default(null),
		capacity: fields.capacity.default(null),
		waitlist_enabled: fields.waitlist_enabled.default(false),
	}),
	status: 201,
	response: CommunityEvent,
})

export const updateEvent = operation({
	id: 'updateEvent',
	method: 'patch',
	path: '/api/headless/v1/events/{eventId}',
	summary: 'Update an event',
	description:
		'Requires the role moderator, admin or owner. If the capacity grows, members from the waitlist get the new places in order. If it shrinks, attendees keep their places.',
	auth: 'member',
	audit: 'none: content',
	params,
	...takesIfMatch,
	body: updateSchema(fields),
	response: CommunityEvent,
})

export const deleteEvent = operation({
	id: 'deleteEvent',
	method: 'delete',
	path: '/api/headless/v1/events/{eventId}',
	summary: 'Delete an event and its RSVPs',
	description:
		'Requires the role moderator, admin or owner. Unless the event has ended, all other attendees and waiting members are notified (`event_cancelled`).',
	auth: 'member',
	audit: 'none: content',
	params,
	response: Success,
})
