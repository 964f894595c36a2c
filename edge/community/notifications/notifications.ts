import type { NotificationPreference } from '#schema/contract/community/member/notifications.ts'
import { notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { notificationStore, type PreferenceChange } from './store.ts'

export async function markRead({ db }: Deps, viewer: Viewer, id: number): Promise<void> {
	if (!(await notificationStore(db).markRead(viewer, id))) throw notFoundError('notification')
}

export const markAllRead = ({ db }: Deps, viewer: Viewer): Promise<void> =>
	notificationStore(db).markAllRead(viewer)

/** Changes preferences, and returns all that are off. */
export const changePreferences = (
	{ db }: Deps,
	viewer: Viewer,
	change: PreferenceChange,
): Promise<NotificationPreference[]> => notificationStore(db).mute(viewer, change)
