import { z } from 'zod'
import { pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { PageQuery } from '../page.ts'
import { changesOf } from './communities.ts'
import { Author, Id, SpaceRef, Success } from './fields.ts'

const tag = 'Community: notifications'

export const NotificationKind = z.enum([
	'post_comment',
	'comment_reply',
	'followed_post_comment',
	'post_reaction',
	'comment_reaction',
	'event_changed',
	'event_place',
])
export type NotificationKind = z.infer<typeof NotificationKind>

export const Notification = z
	.object({
		id: Id,
		kind: NotificationKind.meta({
			description:
				'A comment on your post, a reply to your comment, a comment on a post that you follow, reactions to your post or comment, another time or place of an event that you attend, a place at an event that you waited for',
		}),
		created_at: Timestamp,
		read_at: Timestamp.nullable(),
		actor: Author.meta({ description: 'Whose doing it is, of several the last one; null for events' }),
		space: SpaceRef.nullable().meta({ description: 'null for an event outside of all spaces' }),
		post_id: Id.nullable(),
		comment_id: Id.nullable(),
		event_id: Id.nullable(),
		excerpt: z.string().meta({
			description: 'The first 100 characters of the comment or post, or the title of the event',
		}),
		url: z.string(),
	})
	.meta({ id: 'Notification' })
export type Notification = z.infer<typeof Notification>

export const listNotifications = operation({
	id: 'listNotifications',
	method: 'get',
	path: '/api/headless/v1/notifications',
	tag,
	summary: 'What the caller was told of, newest first',
	description:
		'Only what is visible at that moment. Reactions to the same post or comment are one notification until it is read. Kept for 90 days.',
	auth: 'member',
	query: PageQuery.extend({ status: z.enum(['all', 'read', 'unread']).default('all') }),
	paged: true,
	status: 200,
	response: z.object({ records: z.array(Notification) }),
})

export const countNotifications = operation({
	id: 'countNotifications',
	method: 'get',
	path: '/api/headless/v1/notifications/count',
	tag,
	summary: 'How many of them there are, and how many unread',
	auth: 'member',
	status: 200,
	response: z
		.object({ total: z.int().nonnegative(), unread: z.int().nonnegative() })
		.meta({ id: 'NotificationCount' }),
})

export const streamNotifications = operation({
	id: 'streamNotifications',
	method: 'get',
	path: '/api/headless/v1/notifications/stream',
	tag,
	summary: 'Learn of notifications as they come (server-sent events)',
	description:
		'Each event `notification` has `{id, kind}` as its data and the same id as its id: read the list for the rest. Open it with `fetch`, since `EventSource` sends no credentials; show `Last-Event-ID` to get what came in between, up to 100. A comment every 20 seconds keeps it open; it ends after an hour, and before when the token or session that opened it ends or is revoked. Five at a time for each member.',
	auth: 'member',
	status: 200,
	answersWith: 'text/event-stream',
	errors: ['not_configured'],
})

export const markNotificationRead = operation({
	id: 'markNotificationRead',
	method: 'post',
	path: '/api/headless/v1/notifications/{notificationId}/mark_as_read',
	tag,
	summary: 'Mark one as read; succeeds when it was',
	auth: 'member',
	params: z.object({ notificationId: pathInt }),
	status: 200,
	response: Success,
})

export const markAllNotificationsRead = operation({
	id: 'markAllNotificationsRead',
	method: 'post',
	path: '/api/headless/v1/notifications/mark_all_as_read',
	tag,
	summary: 'Mark all as read',
	auth: 'member',
	status: 200,
	response: Success,
})

const kinds = Object.fromEntries(NotificationKind.options.map((kind) => [kind, z.boolean()])) as Record<
	NotificationKind,
	z.ZodBoolean
>

const NotificationPreferences = z.object(kinds).meta({ id: 'NotificationPreferences' })
export type NotificationPreferences = z.infer<typeof NotificationPreferences>

export const getNotificationPreferences = operation({
	id: 'getNotificationPreferences',
	method: 'get',
	path: '/api/headless/v1/notification_preferences',
	tag,
	summary: 'What the caller wants to be told of; everything unless told otherwise',
	auth: 'member',
	status: 200,
	response: NotificationPreferences,
})

export const updateNotificationPreferences = operation({
	id: 'updateNotificationPreferences',
	method: 'patch',
	path: '/api/headless/v1/notification_preferences',
	tag,
	summary: 'Change what the caller wants to be told of from now on',
	auth: 'member',
	body: changesOf(kinds),
	status: 200,
	response: NotificationPreferences,
})
