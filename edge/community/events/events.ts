import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { eventStore } from './store.ts'

const noEvent = () => new AppError('not_found', 'no such event')

export async function listAttendees({ db }: Deps, viewer: Viewer, eventId: number) {
	const store = eventStore(db)
	if (!(await store.isVisible(viewer, eventId))) throw noEvent()
	return store.listAttendees(eventId)
}

export async function attendEvent({ db }: Deps, viewer: Viewer, eventId: number): Promise<void> {
	const store = eventStore(db)
	if ((await store.attend(viewer, eventId)) !== undefined) return
	if (!(await store.isVisible(viewer, eventId))) throw noEvent()
	throw new AppError('conflict', 'the event is full')
}

/** One's own RSVP can always be taken back, also when the event is not visible any more. */
export async function leaveEvent({ db }: Deps, viewer: Viewer, eventId: number): Promise<void> {
	const { removed, isVisible } = await eventStore(db).leave(viewer, eventId)
	if (!removed && !isVisible) throw noEvent()
}
