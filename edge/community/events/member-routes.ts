import * as contract from '#schema/contract/community/member/events.ts'
import { setEntityTag, updateMatching } from '../../http/entity-tag.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { type Route, serve } from '../../http/route.ts'
import { toViewer } from '../access/viewer.ts'
import { computePageOffset, wrapFixedList, wrapPagedList } from '../lists.ts'
import {
	attendEvent,
	createEvent,
	deleteEvent,
	findEvent,
	listAttendees,
	updateEvent,
	withdrawFromEvent,
} from './events.ts'
import type { EventFilter } from './filtered-events.ts'
import { eventStore, type NewEvent } from './store.ts'
import { readEventState, viewAttendee, viewEvent } from './view.ts'

type EventInput = {
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

/** Maps the fields of the request to the columns of the table. */
const changeOf = (input: EventInput): Partial<NewEvent> =>
	omitUndefined({
		title: input.title,
		description: input.description,
		startsAt: instantOf(input.starts_at),
		endsAt: instantOf(input.ends_at),
		inPersonLocation: input.in_person_location,
		virtualUrl: input.virtual_location_url,
		capacity: input.capacity,
		waitlistEnabled: input.waitlist_enabled,
	})

const toFilter = ({ from, to, space_id, mine }: contract.EventQuery): EventFilter => ({
	from: instantOf(from),
	to: instantOf(to),
	spaceId: space_id,
	isMine: mine === 'true',
})

export const eventRoutes: Route[] = [
	serve(contract.listCommunityEvents, async ({ deps, caller, query }) => {
		const viewer = toViewer(caller, deps)
		const store = eventStore(deps.db)
		const filter = toFilter(query)
		const [rows, count] = await Promise.all([
			store.list(viewer, filter, query.per_page, computePageOffset(query)),
			store.count(viewer, filter),
		])
		return wrapPagedList(rows.map(viewEvent), count, query)
	}),

	serve(contract.getEvent, async ({ deps, caller, params, headers }) => {
		const event = await findEvent(deps, toViewer(caller, deps), params.eventId)
		await setEntityTag(headers, readEventState(event))
		return viewEvent(event)
	}),

	serve(contract.createEvent, async ({ deps, caller, params, body }) => {
		const event = changeOf(body) as NewEvent
		return viewEvent(await createEvent(deps, toViewer(caller, deps), params.spaceId, event))
	}),

	serve(contract.updateEvent, async ({ deps, caller, params, body, request, headers }) => {
		const viewer = toViewer(caller, deps)
		const event = await updateMatching(
			contract.updateEvent,
			{ request, headers },
			{
				read: () => findEvent(deps, viewer, params.eventId),
				toState: readEventState,
				update: (before) => updateEvent(deps, viewer, params.eventId, changeOf(body), before),
			},
		)
		return viewEvent(event)
	}),

	serve(contract.deleteEvent, async ({ deps, caller, params }) => {
		await deleteEvent(deps, toViewer(caller, deps), params.eventId)
		return { success: true as const }
	}),

	serve(contract.listAttendees, async ({ deps, caller, params }) => {
		const rows = await listAttendees(deps, toViewer(caller, deps), params.eventId)
		return wrapFixedList(rows.map(viewAttendee))
	}),

	serve(contract.attendEvent, async ({ deps, caller, params }) => {
		const status = await attendEvent(deps, toViewer(caller, deps), params.eventId)
		return { success: true as const, rsvp_status: status }
	}),

	serve(contract.leaveEvent, async ({ deps, caller, params }) => {
		await withdrawFromEvent(deps, toViewer(caller, deps), params.eventId)
		return { success: true as const }
	}),
]
