import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type {
	NotificationKind,
	NotificationPreference,
} from '../../contract/community/member/notifications.ts'
import { createdAt, instant } from '../columns.ts'

/** Notifications of members. Contain no text: the subject is read and its visibility checked each time. */
export const notifications = sqliteTable(
	'notifications',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		/** The recipient. */
		membershipId: integer().notNull(),
		kind: text().$type<NotificationKind>().notNull(),
		/** The id of a comment, post or event, depending on the kind. */
		subjectId: integer().notNull(),
		/** The user who caused the notification; the last one of several. */
		actorId: integer(),
		readAt: instant(),
		/** When the recipient moved it out of the list. It is read then, so that nothing new is merged into it. */
		archivedAt: instant(),
		createdAt: createdAt(),
	},
	(t) => [
		// Also merges notifications of one kind about one subject until the notification is read.
		uniqueIndex('notifications_unread').on(t.membershipId, t.kind, t.subjectId).where(sql`read_at is null`),
		index('notifications_list').on(t.membershipId, t.createdAt, t.id),
		index('notifications_unread_list').on(t.membershipId, t.createdAt, t.id).where(sql`read_at is null`),
		index('notifications_actor').on(t.actorId).where(sql`actor_id is not null`),
		index('notifications_created').on(t.createdAt),
	],
)

/** Kinds of notifications that a member has muted, and other preferences that are off. */
export const notificationMutes = sqliteTable(
	'notification_mutes',
	{ membershipId: integer().notNull(), kind: text().$type<NotificationPreference>().notNull() },
	(t) => [uniqueIndex('notification_mutes_key').on(t.membershipId, t.kind)],
)

/** The data that notifications show about an event that was deleted before its end. Pruned with the notifications. */
export const cancelledEvents = sqliteTable(
	'cancelled_events',
	{
		/** The id of the deleted event. */
		id: integer().primaryKey(),
		communityId: integer().notNull(),
		/** The notification is visible to members who see this space. */
		spaceId: integer().notNull(),
		title: text().notNull(),
		createdAt: createdAt(),
	},
	(t) => [
		index('cancelled_events_community').on(t.communityId),
		index('cancelled_events_created').on(t.createdAt),
	],
)
