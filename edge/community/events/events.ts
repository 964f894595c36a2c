import type { RsvpStatus } from '#schema/contract/community/member/events.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { pushNotifications } from '../notifications/notification-streams.ts'
import { deferNotifications } from '../notifications/pending-notification.ts'
import { requireModerator } from '../roles.ts'
import { spacePolicyError } from '../spaces/policies.ts'
import { findSpace } from '../spaces/spaces.ts'
import { type EventRow, eventStore, type NewEvent, pickEditableColumns } from './store.ts'

const eventNotFoundError = () => notFoundError('event')

const endsBeforeStartError = () => new AppError('validation', 'ends_at: must not be before starts_at')

export async function findEvent({ db }: Deps, viewer: Viewer, eventId: number): Promise<EventRow> {
	const event = await eventStore(db).find(viewer, eventId)
	if (!event) throw eventNotFoundError()
	return event
}

/** Returns an event for a calendar file, including events without a space. */
export async function findCalendarEvent({ db }: Deps, viewer: Viewer, eventId: number) {
	const event = await eventStore(db).findForCalendar(viewer, eventId)
	if (!event) throw eventNotFoundError()
	return event
}

export async function createEvent(deps: Deps, viewer: Viewer, spaceId: number, event: NewEvent) {
	if (viewer.role === 'member') await findSpace(deps, viewer, spaceId)
	requireModerator(viewer)
	if (event.endsAt < event.startsAt) throw endsBeforeStartError()
	const id = await eventStore(deps.db).insert(deps.work, viewer, spaceId, event)
	if (id === undefined) throw spacePolicyError('post', (await findSpace(deps, viewer, spaceId)).postPolicy)
	return findEvent(deps, viewer, id)
}

export async function updateEvent(
	deps: Deps,
	viewer: Viewer,
	eventId: number,
	change: Partial<NewEvent>,
	before?: EventRow,
): Promise<EventRow> {
	const update =
		viewer.role === 'member'
			? null
			: await eventStore(deps.db).update(
					deps.work,
					viewer,
					eventId,
					change,
					before && pickEditableColumns(before),
				)
	const event = await findEvent(deps, viewer, eventId)
	requireModerator(viewer)
	if (!update?.changed) throw endsBeforeStartError()
	if (update.needsNotification) deferNotifications(deps, 'event', [eventId])
	deferNotifications(deps, 'place', update.promoted)
	return event
}

export async function deleteEvent(deps: Deps, viewer: Viewer, eventId: number): Promise<void> {
	if (viewer.role === 'member') await findEvent(deps, viewer, eventId)
	requireModerator(viewer)
	const notified = await eventStore(deps.db).remove(deps.work, viewer, eventId)
	if (!notified) throw eventNotFoundError()
	if (notified.length > 0) deps.defer(pushNotifications(deps, viewer.communityId, notified))
}

export async function listAttendees({ db }: Deps, viewer: Viewer, eventId: number) {
	const store = eventStore(db)
	if ((await store.findEnd(viewer, eventId)) === undefined) throw eventNotFoundError()
	return store.listAttendees(eventId)
}

export async function attendEvent({ db, work }: Deps, viewer: Viewer, eventId: number): Promise<RsvpStatus> {
	const store = eventStore(db)
	const status = await store.attend(work, viewer, eventId)
	if (status !== undefined) return status
	const endsAt = await store.findEnd(viewer, eventId)
	if (endsAt === undefined) throw eventNotFoundError()
	throw new AppError(
		'conflict',
		endsAt <= viewer.now ? 'the event is over' : 'the event is full and has no waitlist',
	)
}

/** Deletes the viewer's RSVP, even if they no longer see the event. */
export async function withdrawFromEvent(deps: Deps, viewer: Viewer, eventId: number): Promise<void> {
	const { removed, isVisible, promoted } = await eventStore(deps.db).leave(deps.work, viewer, eventId)
	deferNotifications(deps, 'place', promoted)
	if (!removed && !isVisible) throw eventNotFoundError()
}
