import { notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { ownNotificationStore } from './own-store.ts'
import type { NotificationRow } from './store.ts'

export async function findNotification({ db }: Deps, viewer: Viewer, id: number): Promise<NotificationRow> {
	const row = await ownNotificationStore(db).find(viewer, id)
	if (!row) throw notFoundError('notification')
	return row
}

export async function archiveNotification({ db }: Deps, viewer: Viewer, id: number): Promise<void> {
	if (!(await ownNotificationStore(db).archive(viewer, id))) throw notFoundError('notification')
}

export async function deleteNotification({ db }: Deps, viewer: Viewer, id: number): Promise<void> {
	if (!(await ownNotificationStore(db).remove(viewer, id))) throw notFoundError('notification')
}

export const resetNewNotifications = ({ db }: Deps, viewer: Viewer): Promise<void> =>
	ownNotificationStore(db).resetNew(viewer)
