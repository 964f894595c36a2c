import { and, eq, sql } from 'drizzle-orm'
import { memberships } from '#schema/tables/community/community.ts'
import { notifications } from '#schema/tables/community/notifications.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { type NotificationRow, notificationColumns, visibleNotifications } from './store.ts'

const isVisible = (viewer: Viewer, id: number) =>
	and(eq(notifications.id, id), sql`exists (select 1 ${visibleNotifications(viewer)} and n.id = ${id})`)

/** What a member does with single notifications, and with the number of new ones. */
export const ownNotificationStore = (db: Db) => ({
	async find(viewer: Viewer, id: number): Promise<NotificationRow | undefined> {
		const [row] = await db.all<NotificationRow>(
			sql`select ${notificationColumns(viewer)} ${visibleNotifications(viewer)} and n.id = ${id}`,
		)
		return row
	},

	/** Archives a notification, and keeps the first time. Returns false if the member can't see it. */
	async archive(viewer: Viewer, id: number): Promise<boolean> {
		const rows = await db
			.update(notifications)
			.set({
				archivedAt: sql`coalesce(archived_at, ${viewer.now})`,
				readAt: sql`coalesce(read_at, ${viewer.now})`,
			})
			.where(isVisible(viewer, id))
			.returning({ id: notifications.id })
		return rows.length === 1
	},

	async remove(viewer: Viewer, id: number): Promise<boolean> {
		const rows = await db
			.delete(notifications)
			.where(isVisible(viewer, id))
			.returning({ id: notifications.id })
		return rows.length === 1
	},

	/** Counts the visible ones among the newest `max` unread notifications since the last reset. */
	async countNew(viewer: Viewer, max: number): Promise<number> {
		const newest = sql`(
			select u.* from notifications u
			where u.membership_id = ${viewer.membershipId}
				and u.read_at is null
				and u.created_at > coalesce(
					(select m.notifications_seen_at from memberships m where m.id = ${viewer.membershipId}), 0
				)
			order by u.created_at desc, u.id desc limit ${max}
		)`
		const [row] = await db.all<{ count: number }>(
			sql`select count(*) as count ${visibleNotifications(viewer, newest)}`,
		)
		return row?.count ?? 0
	},

	async resetNew({ membershipId, now }: Viewer): Promise<void> {
		await db.update(memberships).set({ notificationsSeenAt: now }).where(eq(memberships.id, membershipId))
	},
})
