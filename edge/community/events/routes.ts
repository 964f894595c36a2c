import * as contract from '#schema/contract/community/events.ts'
import { givenOf } from '../../http/changes.ts'
import { type Route, serve } from '../../http/route.ts'
import { viewerOf } from '../access/viewer.ts'
import { fixedListOf, offsetOf, pagedListOf } from '../lists.ts'
import {
	attendEvent,
	createEvent,
	deleteEvent,
	findEvent,
	leaveEvent,
	listAttendees,
	updateEvent,
} from './events.ts'
import { eventStore, type NewEvent } from './store.ts'
import { viewAttendee, viewEvent, viewEventDetails } from './view.ts'

type Sent = {
	title?: string | undefined
	description?: string | undefined
	starts_at?: string | undefined
	ends_at?: string | undefined
	in_person_location?: string | null | undefined
	virtual_location_url?: string | null | undefined
	capacity?: number | null | undefined
	waitlist_enabled?: boolean | undefined
}

const instantOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text))

/** From the names of the wire to those of the table. */
const changeOf = (sent: Sent): Partial<NewEvent> =>
	givenOf({
		title: sent.title,
		description: sent.description,
		startsAt: instantOf(sent.starts_at),
		endsAt: instantOf(sent.ends_at),
		inPersonLocation: sent.in_person_location,
		virtualUrl: sent.virtual_location_url,
		capacity: sent.capacity,
		waitlistEnabled: sent.waitlist_enabled,
	})

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

	serve(contract.getEvent, async ({ deps, caller, params }) =>
		viewEventDetails(await findEvent(deps, viewerOf(caller, deps), params.eventId)),
	),

	serve(contract.createEvent, async ({ deps, caller, params, body }) => {
		const event = changeOf(body) as NewEvent
		return viewEventDetails(await createEvent(deps, viewerOf(caller, deps), params.spaceId, event))
	}),

	serve(contract.updateEvent, async ({ deps, caller, params, body }) =>
		viewEventDetails(await updateEvent(deps, viewerOf(caller, deps), params.eventId, changeOf(body))),
	),

	serve(contract.deleteEvent, async ({ deps, caller, params }) => {
		await deleteEvent(deps, viewerOf(caller, deps), params.eventId)
		return { success: true as const }
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
