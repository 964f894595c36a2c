import * as contract from '#schema/contract/community/member/calendar.ts'
import { type Route, serve } from '../../http/route.ts'
import { apiBase } from '../../platform/env.ts'
import { buildUrl } from '../../platform/network/header-values.ts'
import { toViewer } from '../access/viewer.ts'
import { findCalendarEvent } from '../events/events.ts'
import { deleteCalendarFeed, readCalendarFeed, resetCalendarFeed } from './calendar-feeds.ts'
import { type CalendarEvent, writeCalendar } from './icalendar.ts'

const calendarResponse = (request: Request, name: string, events: readonly CalendarEvent[]) =>
	new Response(writeCalendar(name, new URL(request.url).hostname, events), {
		headers: { 'content-type': 'text/calendar; charset=utf-8', 'cache-control': 'private, no-cache' },
	})

export const calendarRoutes: Route[] = [
	serve(contract.getEventCalendar, async ({ deps, caller, params, request }) => {
		const event = await findCalendarEvent(deps, toViewer(caller, deps), params.eventId)
		return calendarResponse(request, event.title, [event])
	}),

	serve(contract.resetCalendarFeed, async ({ deps, caller, request }) => {
		const token = await resetCalendarFeed(deps, caller)
		return {
			url: buildUrl(apiBase(deps.env, request), ['api', 'headless', 'v1', 'calendar', `${token}.ics`]),
		}
	}),

	serve(contract.deleteCalendarFeed, async ({ deps, caller }) => {
		await deleteCalendarFeed(deps, caller)
		return { success: true as const }
	}),

	serve(contract.readCalendarFeed, async ({ deps, params, request }) => {
		const token = params.feedFile.slice(0, -'.ics'.length)
		const { communityName, events } = await readCalendarFeed(deps, token)
		return calendarResponse(request, communityName, events)
	}),
]
