import { z } from 'zod'
import { pathInt, Timestamp, WebUrl } from '../fields.ts'
import { operation } from '../operation.ts'
import { changesOf } from './communities.ts'
import { Author, fixedList, Id, ListQuery, pagedList, SpaceRef, Success } from './fields.ts'

const tag = 'Community: events'
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
		rsvp_count: z.int().nonnegative().meta({ description: 'RSVPs with the status going' }),
		rsvped_event: RsvpStatus.nullable().meta({ description: 'Status of the RSVP of the caller' }),
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

export const listCommunityEvents = operation({
	id: 'listCommunityEvents',
	method: 'get',
	path: '/api/headless/v1/community_events',
	tag,
	summary: 'Events in the spaces that the caller sees, earliest first',
	auth: 'member',
	query: ListQuery,
	status: 200,
	response: pagedList(CommunityEvent),
})

export const Attendee = z
	.object({
		id: Id,
		community_member_id: Id.meta({ description: 'The membership' }),
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
	tag,
	summary: 'All RSVPs of an event, oldest first',
	auth: 'member',
	params,
	status: 200,
	response: fixedList(Attendee),
})

export const attendEvent = operation({
	id: 'attendEvent',
	method: 'post',
	path: '/api/headless/v1/events/{eventId}/event_attendees',
	tag,
	summary: 'Go to an event',
	description:
		'Where the event has a capacity and it is full, the caller is put on the waiting list, or answered 409 if the event has none.',
	auth: 'member',
	params,
	status: 200,
	response: Success,
	errors: ['conflict'],
})

export const leaveEvent = operation({
	id: 'leaveEvent',
	method: 'delete',
	path: '/api/headless/v1/events/{eventId}/event_attendees',
	tag,
	summary: 'Take the RSVP back; succeeds when there is none',
	description:
		'Whoever waits longest gets the place. An RSVP to an event that the caller does not see any more can still be taken back.',
	auth: 'member',
	params,
	status: 200,
	response: Success,
})

const Text = z.string().trim()
const Instant = z.iso.datetime({ offset: true })
const fields = {
	title: Text.min(1).max(200),
	description: Text.max(20_000),
	starts_at: Instant,
	ends_at: Instant,
	in_person_location: Text.min(1).max(500).nullable(),
	virtual_location_url: WebUrl.nullable(),
	capacity: z.int().positive().max(1_000_000).nullable().meta({ description: 'null: no limit' }),
	waitlist_enabled: z.boolean(),
}

export const EventDetails = CommunityEvent.extend({
	capacity: z.int().nullable(),
	waitlist_enabled: z.boolean(),
}).meta({ id: 'EventDetails' })
export type EventDetails = z.infer<typeof EventDetails>

export const getEvent = operation({
	id: 'getEvent',
	method: 'get',
	path: '/api/headless/v1/events/{eventId}',
	tag,
	summary: 'One event',
	auth: 'member',
	params,
	status: 200,
	response: EventDetails,
})

export const createEvent = operation({
	id: 'createEvent',
	method: 'post',
	path: '/api/headless/v1/spaces/{spaceId}/events',
	tag,
	summary: 'Create an event in a space, for moderators and above; the caller is its host',
	description: 'The end must not lie before the start (400).',
	auth: 'member',
	params: z.object({ spaceId: pathInt }),
	idempotent: true,
	body: z.object({
		...fields,
		description: fields.description.default(''),
		in_person_location: fields.in_person_location.default(null),
		virtual_location_url: fields.virtual_location_url.default(null),
		capacity: fields.capacity.default(null),
		waitlist_enabled: fields.waitlist_enabled.default(false),
	}),
	status: 201,
	response: EventDetails,
})

export const updateEvent = operation({
	id: 'updateEvent',
	method: 'patch',
	path: '/api/headless/v1/events/{eventId}',
	tag,
	summary: 'Change an event, for moderators and above',
	description:
		'Where the capacity grows, those who wait longest get in; where it shrinks, nobody is sent away.',
	auth: 'member',
	params,
	body: changesOf(fields),
	status: 200,
	response: EventDetails,
})

export const deleteEvent = operation({
	id: 'deleteEvent',
	method: 'delete',
	path: '/api/headless/v1/events/{eventId}',
	tag,
	summary: 'Delete an event with its RSVPs, for moderators and above',
	auth: 'member',
	params,
	status: 200,
	response: Success,
})
