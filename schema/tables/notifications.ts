import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { NotificationKind } from '../contract/community/member/notifications.ts'
import { createdAt, instant } from './columns.ts'

/** What a member is told. Holds no text: what it is about is read, and asked for anew whether it may be seen. */
export const notifications = sqliteTable(
	'notifications',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		/** Who is told. */
		membershipId: integer().notNull(),
		kind: text().$type<NotificationKind>().notNull(),
		/** A comment, a post or an event, as the kind says. */
		subjectId: integer().notNull(),
		/** The user whose doing it is; of several, the last one. */
		actorId: integer(),
		readAt: instant(),
		createdAt: createdAt(),
	},
	(t) => [
		// Also what makes several of one kind about one thing a single one, until it is read.
		uniqueIndex('notifications_unread').on(t.membershipId, t.kind, t.subjectId).where(sql`read_at is null`),
		index('notifications_list').on(t.membershipId, t.createdAt, t.id),
		index('notifications_actor').on(t.actorId).where(sql`actor_id is not null`),
		index('notifications_created').on(t.createdAt),
	],
)

/** Kinds that a member does not want to be told of. */
export const notificationMutes = sqliteTable(
	'notification_mutes',
	{ membershipId: integer().notNull(), kind: text().$type<NotificationKind>().notNull() },
	(t) => [uniqueIndex('notification_mutes_key').on(t.membershipId, t.kind)],
)

/** What notifications show of an event that was deleted before it was over. Pruned at the age of notifications. */
export const cancelledEvents = sqliteTable(
	'cancelled_events',
	{
		/** The id of the event, whose row is gone. */
		id: integer().primaryKey(),
		communityId: integer().notNull(),
		/** Who sees the space sees the notification. */
		spaceId: integer().notNull(),
		title: text().notNull(),
		createdAt: createdAt(),
	},
	(t) => [
		index('cancelled_events_community').on(t.communityId),
		index('cancelled_events_created').on(t.createdAt),
	],
)
