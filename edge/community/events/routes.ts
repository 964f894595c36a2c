import * as contract from '#schema/contract/community/events.ts'
import { type Route, serve } from '../../http/route.ts'
import { viewerOf } from '../access/viewer.ts'
import { fixedListOf, offsetOf, pagedListOf } from '../lists.ts'
import { attendEvent, leaveEvent, listAttendees } from './events.ts'
import { eventStore } from './store.ts'
import { viewAttendee, viewEvent } from './view.ts'

export const eventRoutes: Route[] = [
	serve(contract.listCommunityEvents, async ({ deps, caller, query }) => {
		const viewer = viewerOf(caller, deps)
		const store = eventStore(deps.db)
		const [rows, count] = await Promise.all([
			store.list(viewer, query.per_page, offsetOf(query)),
			store.count(viewer),
		])
		return pagedListOf(rows.map(viewEvent), count, query)
	}),

	serve(contract.listAttendees, async ({ deps, caller, params }) => {
		const rows = await listAttendees(deps, viewerOf(caller, deps), params.eventId)
		return fixedListOf(rows.map(viewAttendee))
	}),

	serve(contract.attendEvent, async ({ deps, caller, params }) => {
		await attendEvent(deps, viewerOf(caller, deps), params.eventId)
		return { success: true as const }
	}),

	serve(contract.leaveEvent, async ({ deps, caller, params }) => {
		await leaveEvent(deps, viewerOf(caller, deps), params.eventId)
		return { success: true as const }
	}),
]
