import {
	type Notification,
	NotificationPreference,
	type NotificationPreferences,
} from '#schema/contract/community/member/notifications.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import { truncateToExcerpt } from '../excerpt.ts'
import { viewPerson } from '../people.ts'
import { describeNotification } from './sentence.ts'
import type { NotificationRow } from './store.ts'

/** Returns what a notification is about, with a path that a front end can route. */
function viewTarget({ postId, commentId, eventId, title }: NotificationRow) {
	if (eventId !== null)
		return {
			notifiable_type: 'Event' as const,
			notifiable_id: eventId,
			notifiable_title: title,
			path: `/events/${eventId}`,
		}
	const post = `/posts/${postId}`
	if (commentId === null)
		return {
			notifiable_type: 'Post' as const,
			notifiable_id: postId as number,
			notifiable_title: title,
			path: post,
		}
	return {
		notifiable_type: 'Comment' as const,
		notifiable_id: commentId,
		notifiable_title: title,
		path: `${post}#comment-${commentId}`,
	}
}

export function viewNotification(row: NotificationRow): Notification {
	const actor = viewPerson(row.actor)
	const { action, text } = describeNotification(row.kind, actor?.name ?? null, row.title)
	return {
		id: row.id,
		kind: row.kind,
		created_at: toIso(row.createdAt),
		read_at: toIsoOrNull(row.readAt),
		actor,
		display_action: action,
		text,
		...viewTarget(row),
		space:
			row.spaceId === null || row.spaceName === null || row.spaceSlug === null
				? null
				: { id: row.spaceId, name: row.spaceName, slug: row.spaceSlug },
		post_id: row.postId,
		comment_id: row.commentId,
		event_id: row.eventId,
		excerpt: truncateToExcerpt(row.text),
		reason: row.reason,
		url: row.eventId === null ? `/posts/${row.postId}` : `/events/${row.eventId}`,
	}
}

/** Returns the preferences. All are on by default. */
export const viewPreferences = (off: readonly NotificationPreference[]): NotificationPreferences =>
	Object.fromEntries(
		NotificationPreference.options.map((name) => [name, !off.includes(name)]),
	) as NotificationPreferences
