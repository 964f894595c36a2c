import { z } from 'zod'
import { pathInt } from '../fields.ts'
import { operation } from '../operation.ts'
import { Success } from './fields.ts'

const tag = 'Community: events'

export const getEventCalendar = operation({
	id: 'getEventCalendar',
	method: 'get',
	path: '/api/headless/v1/events/{eventId}/calendar.ics',
	tag,
	summary: 'An event as a file for calendars (iCalendar)',
	auth: 'member',
	params: z.object({ eventId: pathInt }),
	status: 200,
	answersWith: 'text/calendar; charset=utf-8',
})

export const resetCalendarFeed = operation({
	id: 'resetCalendarFeed',
	method: 'post',
	path: '/api/headless/v1/calendar_feed',
	tag,
	summary: 'The address of a calendar of all events that the caller sees, to subscribe to; shown once',
	description: 'Whoever has the address can read along. Asking again makes a new one, and the old one ends.',
	auth: 'member',
	status: 201,
	response: z.object({ url: z.string() }).meta({ id: 'CalendarFeed' }),
})

export const deleteCalendarFeed = operation({
	id: 'deleteCalendarFeed',
	method: 'delete',
	path: '/api/headless/v1/calendar_feed',
	tag,
	summary: 'End the address of the caller’s calendar; succeeds when there is none',
	auth: 'member',
	status: 200,
	response: Success,
})

export const readCalendarFeed = operation({
	id: 'readCalendarFeed',
	method: 'get',
	path: '/api/headless/v1/calendar/{feedFile}',
	tag,
	summary: 'The calendar behind such an address',
	description:
		'Events from 90 days ago on, 500 at most, of what the member sees at that moment. 404 once the address or the membership has ended.',
	auth: 'public',
	params: z.object({
		feedFile: z.string().regex(/^[\w-]{43}\.ics$/, 'is no calendar'),
	}),
	status: 200,
	answersWith: 'text/calendar; charset=utf-8',
	errors: ['not_found'],
})
