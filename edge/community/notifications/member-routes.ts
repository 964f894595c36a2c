import * as contract from '#schema/contract/community/member/notifications.ts'
import { AppError } from '../../http/errors.ts'
import { buildPage, decodeCursor } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { toViewer } from '../access/viewer.ts'
import { openStream } from './notification-streams.ts'
import { changePreferences, markAllRead, markRead } from './notifications.ts'
import { notificationStore } from './store.ts'
import { viewNotification, viewPreferences } from './view.ts'

function lastIdOf(request: Request): number | null {
	const value = request.headers.get('last-event-id')
	if (!value) return null
	if (!/^\d{1,15}$/.test(value))
		throw new AppError('validation', 'Last-Event-ID: send the id of a received event unchanged')
	return Number(value)
}

export const notificationRoutes: Route[] = [
	serve(contract.listNotifications, async ({ deps, caller, query, request, headers }) => {
		const viewer = toViewer(caller, deps)
		const rows = await notificationStore(deps.db).list(viewer, query.status, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { records: page.map(viewNotification) }
	}),

	serve(contract.countNotifications, async ({ deps, caller }) => {
		const store = notificationStore(deps.db)
		const { unread, more } = await store.countUnread(toViewer(caller, deps), contract.MAX_COUNTED)
		return { unread, has_more: more === 1 }
	}),

	serve(contract.streamNotifications, async ({ deps, caller, request, ip, isStillAdmitted }) =>
		openStream(deps, caller, { lastId: lastIdOf(request), address: ip }, isStillAdmitted),
	),

	serve(contract.markNotificationRead, async ({ deps, caller, params }) => {
		await markRead(deps, toViewer(caller, deps), params.notificationId)
		return { success: true as const }
	}),

	serve(contract.markAllNotificationsRead, async ({ deps, caller }) => {
		await markAllRead(deps, toViewer(caller, deps))
		return { success: true as const }
	}),

	serve(contract.getNotificationPreferences, async ({ deps, caller }) =>
		viewPreferences(await notificationStore(deps.db).listMutes(toViewer(caller, deps))),
	),

	serve(contract.updateNotificationPreferences, async ({ deps, caller, body }) =>
		viewPreferences(await changePreferences(deps, toViewer(caller, deps), body)),
	),
]
