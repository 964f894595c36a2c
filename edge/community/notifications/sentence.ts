import type { NotificationKind } from '#schema/contract/community/member/notifications.ts'

/** What the actor of a notification did, to follow a name. */
const actions = {
	post_comment: 'commented on your post',
	comment_reply: 'replied to your comment',
	followed_post_comment: 'commented on a post that you follow',
	post_reaction: 'reacted to your post',
	comment_reaction: 'reacted to your comment',
} as const

/** What happened, for notifications without an actor. */
const occurrences = {
	event_changed: 'The time or place of an event changed',
	event_place: 'You got a place at an event',
	event_cancelled: 'An event was cancelled',
	post_hidden: 'A moderator hid your post',
	post_restored: 'A moderator restored your post',
	comment_hidden: 'A moderator hid your comment',
	comment_restored: 'A moderator restored your comment',
} as const satisfies Record<Exclude<NotificationKind, keyof typeof actions>, string>

const hasActor = (kind: NotificationKind): kind is keyof typeof actions => kind in actions

/** Returns what happened, and the sentence that a list of notifications shows. */
export function describeNotification(
	kind: NotificationKind,
	actorName: string | null,
	title: string | null,
): { action: string; text: string } {
	const action = hasActor(kind) ? actions[kind] : occurrences[kind]
	const sentence = hasActor(kind) ? `${actorName ?? 'A former member'} ${action}` : action
	return { action, text: title === null ? sentence : `${sentence}: ${title}` }
}
