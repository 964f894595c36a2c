import { z } from 'zod'
import { pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
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
