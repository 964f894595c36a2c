import { MAX_COUNTED } from '#schema/contract/community/member/notifications.ts'
import * as contract from '#schema/contract/community/member/own-notifications.ts'
import { type Route, serve } from '../../http/route.ts'
import { toViewer } from '../access/viewer.ts'
import {
	archiveNotification,
	deleteNotification,
	findNotification,
	resetNewNotifications,
} from './own-notifications.ts'
import { ownNotificationStore } from './own-store.ts'
import { viewNotification } from './view.ts'

const success = { success: true as const }

const viewNew = (count: number) => ({
	new_notifications_count: count,
	new_mentions_count: 0 as const,
	new_inbox_count: 0 as const,
})

export const ownNotificationRoutes: Route[] = [
	serve(contract.getNotification, async ({ deps, caller, params }) =>
		viewNotification(await findNotification(deps, toViewer(caller, deps), params.notificationId)),
	),

	serve(contract.archiveNotification, async ({ deps, caller, params }) => {
		await archiveNotification(deps, toViewer(caller, deps), params.notificationId)
		return success
	}),

	serve(contract.deleteNotification, async ({ deps, caller, params }) => {
		await deleteNotification(deps, toViewer(caller, deps), params.notificationId)
		return success
	}),

	serve(contract.countNewNotifications, async ({ deps, caller }) =>
		viewNew(await ownNotificationStore(deps.db).countNew(toViewer(caller, deps), MAX_COUNTED)),
	),

	serve(contract.resetNewNotifications, async ({ deps, caller }) => {
		await resetNewNotifications(deps, toViewer(caller, deps))
		return viewNew(0)
	}),
]
