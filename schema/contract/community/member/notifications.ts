import { z } from 'zod'
import { pathInt, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { PageQuery } from '../../kit/page.ts'
import { Author, Id, SpaceRef, Success } from '../fields.ts'
import { updateSchema } from '../manage/communities.ts'

const operation = describeOperations('Community: notifications')

export const NotificationKind = z.enum([
	'post_comment',
	'comment_reply',
	'followed_post_comment',
	'post_reaction',
	'comment_reaction',
	'event_changed',
	'event_place',
	'event_cancelled',
	'post_hidden',
	'post_restored',
	'comment_hidden',
	'comment_restored',
])
export type NotificationKind = z.infer<typeof NotificationKind>

export const Notification = z
	.object({
		id: Id,
		kind: NotificationKind.meta({
			description:
				'`post_comment`: a comment on your post. `comment_reply`: a reply to your comment. `followed_post_comment`: a comment on a post that you follow. `post_reaction`, `comment_reaction`: reactions to your post or comment. `event_changed`: a new time or place of an event that you attend. `event_place`: you got a place from the waitlist of an event. `event_cancelled`: an event that you attend or wait for was deleted. `post_hidden`, `comment_hidden`: a moderator hid your post or comment, perhaps with the comment above it; `post_restored`, `comment_restored`: it is shown again.',
		}),
		created_at: Timestamp,
		read_at: Timestamp.nullable(),
		actor: Author.meta({
			description:
				'The member who caused the notification, or the latest of several; null for events, and for what moderators hid or restored',
		}),
		display_action: z.string().meta({
			description: 'What happened, to follow the name of the actor',
		}),
		text: z.string().meta({
			description: 'The sentence in English, with the title',
		}),
		notifiable_type: z.enum(['Post', 'Comment', 'Event']),
		notifiable_id: Id,
		notifiable_title: z.string().nullable().meta({
			description: 'The title of the event or post',
		}),
		path: z.string().meta({
			description: 'For a front end, such as `/posts/7#comment-9`',
		}),
		space: SpaceRef.nullable().meta({ description: 'null for an event outside all spaces' }),
		post_id: Id.nullable(),
		comment_id: Id.nullable(),
		event_id: Id.nullable().meta({ description: 'Also set for a cancelled event, which no longer exists' }),
		excerpt: z.string().meta({
			description: 'The first 100 characters of the comment or post, or the title of the event',
		}),
		reason: z.string().nullable().meta({
			description: 'Why the moderator hid it, for `post_hidden` and `comment_hidden` while it is hidden',
		}),
		url: z.string(),
	})
	.meta({ id: 'Notification' })
export type Notification = z.infer<typeof Notification>

export const listNotifications = operation({
	id: 'listNotifications',
	method: 'get',
	path: '/api/headless/v1/notifications',
	summary: "List the caller's notifications, newest first",
	description:
		'Lists only notifications about content that the caller can see. Reactions to the same post or comment share a notification until it is read. Archived ones are listed only with `status=archived`. Notifications are kept for 90 days.',
	auth: 'member',
	query: PageQuery.extend({ status: z.enum(['all', 'read', 'unread', 'archived']).default('all') }),
	paged: true,
	response: z.object({ records: z.array(Notification) }),
})

/** A higher limit would make the query grow with unread notifications. */
export const MAX_COUNTED = 99

export const countNotifications = operation({
	id: 'countNotifications',
	method: 'get',
	path: '/api/headless/v1/notifications/count',
	summary: 'Count the unread notifications',
	description: `Counts those about content that the caller can see, among the newest ${MAX_COUNTED} unread ones.`,
	auth: 'member',
	response: z
		.object({
			unread: z.int().nonnegative().max(MAX_COUNTED),
			has_more: z.boolean().meta({ description: 'There are more unread notifications; show `99+`' }),
		})
		.meta({ id: 'NotificationCount' }),
})

export const streamNotifications = operation({
	id: 'streamNotifications',
	method: 'get',
	path: '/api/headless/v1/notifications/stream',
	summary: 'Stream new notifications as server-sent events',
	description:
		"Each event `notification` has the data `{id, kind}` and the same id as event id; list the notifications to get the rest. Use `fetch`, since `EventSource` can't send credentials. Send `Last-Event-ID` to get the notifications since that event, up to 100. A comment every 15 seconds keeps the connection open. The stream ends after an hour, or earlier when the token or session expires or is revoked. A member may have five streams open; a sixth ends the oldest.",
	auth: 'member',
	answersWith: 'text/event-stream',
	errors: ['not_configured'],
})

export const markNotificationRead = operation({
	id: 'markNotificationRead',
	method: 'post',
	path: '/api/headless/v1/notifications/{notificationId}/mark_as_read',
	summary: 'Mark a notification as read',
	description: 'Succeeds if it was already read.',
	auth: 'member',
	audit: 'none: own membership',
	params: z.object({ notificationId: pathInt }),
	response: Success,
})

export const markAllNotificationsRead = operation({
	id: 'markAllNotificationsRead',
	method: 'post',
	path: '/api/headless/v1/notifications/mark_all_as_read',
	summary: 'Mark all notifications as read',
	auth: 'member',
	audit: 'none: own membership',
	response: Success,
})

export const NotificationPreference = z.enum([...NotificationKind.options, 'follow_participated_posts'])
export type NotificationPreference = z.infer<typeof NotificationPreference>

const preferences = {
	...Object.fromEntries(NotificationKind.options.map((kind) => [kind, z.boolean()])),
	follow_participated_posts: z.boolean().meta({
		description: 'Writing a post or comment follows the post',
	}),
} as Record<NotificationPreference, z.ZodBoolean>

const NotificationPreferences = z.object(preferences).meta({ id: 'NotificationPreferences' })
export type NotificationPreferences = z.infer<typeof NotificationPreferences>

export const getNotificationPreferences = operation({
	id: 'getNotificationPreferences',
	method: 'get',
	path: '/api/headless/v1/notification_preferences',
	summary: "Get the caller's notification preferences",
	description: 'All are on by default.',
	auth: 'member',
	response: NotificationPreferences,
})

export const updateNotificationPreferences = operation({
	id: 'updateNotificationPreferences',
	method: 'patch',
	path: '/api/headless/v1/notification_preferences',
	summary: "Update the caller's notification preferences",
	auth: 'member',
	audit: 'none: own membership',
	body: updateSchema(preferences),
	response: NotificationPreferences,
})
