import {
	type Notification,
	NotificationPreference,
	type NotificationPreferences,
} from '#schema/contract/community/member/notifications.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import { truncateToExcerpt } from '../excerpt.ts'
import { viewPerson } from '../people.ts'
import type { NotificationRow } from './store.ts'

export const viewNotification = (row: NotificationRow): Notification => ({
	id: row.id,
	kind: row.kind,
	created_at: toIso(row.createdAt),
	read_at: toIsoOrNull(row.readAt),
	actor: viewPerson(row.actor),
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
})

/** Returns the preferences. All are on by default. */
export const viewPreferences = (off: readonly NotificationPreference[]): NotificationPreferences =>
	Object.fromEntries(
		NotificationPreference.options.map((name) => [name, !off.includes(name)]),
	) as NotificationPreferences
