import { expect, test } from 'vitest'
import { NotificationKind } from '#schema/contract/community/member/notifications.ts'
import { describeNotification } from '../../../../edge/community/notifications/sentence.ts'

test('a sentence names the actor, the action and the title', () => {
	expect(describeNotification('comment_reply', 'Ada', 'Lights')).toEqual({
		action: 'replied to your comment',
		text: 'Ada replied to your comment: Lights',
	})
})

test('a sentence about a post without a title ends with the action', () => {
	expect(describeNotification('post_reaction', 'Ada', null).text).toBe('Ada reacted to your post')
})

test('a sentence about someone whose account is gone calls them a former member', () => {
	expect(describeNotification('post_comment', null, null).text).toBe('A former member commented on your post')
})

test('a sentence about an event or a moderator names no actor', () => {
	expect(describeNotification('event_cancelled', 'Ada', 'Walk').text).toBe('An event was cancelled: Walk')
	expect(describeNotification('post_hidden', 'Ada', null).text).toBe('A moderator hid your post')
})

test('each kind of notification has its own sentence', () => {
	const texts = NotificationKind.options.map((kind) => [kind, describeNotification(kind, 'Ada', null).text])
	expect(Object.fromEntries(texts)).toEqual({
		post_comment: 'Ada commented on your post',
		comment_reply: 'Ada replied to your comment',
		followed_post_comment: 'Ada commented on a post that you follow',
		post_reaction: 'Ada reacted to your post',
		comment_reaction: 'Ada reacted to your comment',
		event_changed: 'The time or place of an event changed',
		event_place: 'You got a place at an event',
		event_cancelled: 'An event was cancelled',
		post_hidden: 'A moderator hid your post',
		post_restored: 'A moderator restored your post',
		comment_hidden: 'A moderator hid your comment',
		comment_restored: 'A moderator restored your comment',
	})
})
