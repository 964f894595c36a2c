import * as contract from '#schema/contract/community/member/calendar.ts'
import { AppError } from '../../http/errors.ts'
import { type Route, serve } from '../../http/route.ts'
import { DAY } from '../../platform/clock.ts'
import { apiBase } from '../../platform/env.ts'
import { addressAt } from '../../platform/network/header-values.ts'
import { base64url, sha256 } from '../../platform/tokens/digest.ts'
import { viewerOf } from '../access/viewer.ts'
import { findCalendarEvent } from '../events/events.ts'
import { type CalendarEvent, calendarOf } from './icalendar.ts'
import { calendarStore } from './store.ts'

const PAST_MS = 90 * DAY
const MAX_EVENTS = 500

const calendarResponse = (request: Request, name: string, events: readonly CalendarEvent[]) =>
	new Response(calendarOf(name, new URL(request.url).hostname, events), {
		headers: { 'content-type': 'text/calendar; charset=utf-8', 'cache-control': 'private, no-cache' },
	})

export const calendarRoutes: Route[] = [
	serve(contract.getEventCalendar, async ({ deps, caller, params, request }) => {
		const event = await findCalendarEvent(deps, viewerOf(caller, deps), params.eventId)
		return calendarResponse(request, event.title, [event])
	}),

	serve(contract.resetCalendarFeed, async ({ deps, caller, request }) => {
		const token = base64url(crypto.getRandomValues(new Uint8Array(32)))
		await calendarStore(deps.db).put(caller.membershipId, await sha256(token), deps.now)
		return {
			url: addressAt(apiBase(deps.env, request), ['api', 'headless', 'v1', 'calendar', `${token}.ics`]),
		}
	}),

	serve(contract.deleteCalendarFeed, async ({ deps, caller }) => {
		await calendarStore(deps.db).remove(caller.membershipId)
		return { success: true as const }
	}),

	serve(contract.readCalendarFeed, async ({ deps, params, request }) => {
		const store = calendarStore(deps.db)
		const reader = await store.findReader(await sha256(params.feedFile.slice(0, -'.ics'.length)))
		if (!reader) throw new AppError('not_found', 'no such calendar')
		const { communityName, ...viewer } = reader
		const events = await store.list({ ...viewer, now: deps.now }, deps.now - PAST_MS, MAX_EVENTS)
		return calendarResponse(request, communityName, events)
	}),
]
