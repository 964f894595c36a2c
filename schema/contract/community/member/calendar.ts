import { z } from 'zod'
import { pathInt } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Success } from '../fields.ts'

const operation = describeOperations('Community: events')

export const getEventCalendar = operation({
	id: 'getEventCalendar',
	method: 'get',
	path: '/api/headless/v1/events/{eventId}/calendar.ics',
	summary: 'Download an event as an iCalendar file',
	auth: 'member',
	params: z.object({ eventId: pathInt }),
	answersWith: 'text/calendar; charset=utf-8',
})

export const resetCalendarFeed = operation({
	id: 'resetCalendarFeed',
	method: 'post',
	path: '/api/headless/v1/calendar_feed',
	summary: "Create the URL of the caller's calendar feed",
	description:
		'Calendar programs can subscribe to the URL to show all events that the caller sees. Everyone who knows the URL can read the feed. The URL is returned only once; another call creates a new URL and revokes the old one.',
	auth: 'member',
	audit: 'none: own membership',
	status: 201,
	response: z.object({ url: z.string() }).meta({ id: 'CalendarFeed' }),
})

export const deleteCalendarFeed = operation({
	id: 'deleteCalendarFeed',
	method: 'delete',
	path: '/api/headless/v1/calendar_feed',
	summary: "Revoke the URL of the caller's calendar feed",
	description: 'Succeeds if the caller has no feed.',
	auth: 'member',
	audit: 'none: own membership',
	response: Success,
})

export const readCalendarFeed = operation({
	id: 'readCalendarFeed',
	method: 'get',
	path: '/api/headless/v1/calendar/{feedFile}',
	summary: 'Read a calendar feed',
	description:
		'Contains at most 500 events that the member can see, from 90 days ago onwards. Returns 404 if the URL was revoked or the membership ended.',
	auth: 'public',
	params: z.object({
		feedFile: z.string().regex(/^[\w-]{43}\.ics$/, 'must be the name of a calendar feed'),
	}),
	answersWith: 'text/calendar; charset=utf-8',
	errors: ['not_found'],
})
