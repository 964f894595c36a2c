import { beforeEach, expect, test } from 'vitest'
import { readEvents } from '#schema/contract/accounts/webhooks/deliveries.ts'
import { updateCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { attendEvent, leaveEvent, updateEvent } from '#schema/contract/community/member/events.ts'
import {
	banMember,
	flagContent,
	hideComment,
	hidePost,
	restoreComment,
	restorePost,
} from '#schema/contract/community/member/moderation.ts'
import {
	createPostComment,
	createReply,
	deletePostComment,
	updatePostComment,
} from '#schema/contract/community/member/post-comments.ts'
import { createPost, deletePost, updatePost } from '#schema/contract/community/member/posts.ts'
import { publicEvents } from '#schema/contract/public-events.ts'
import { openWorld, type World } from '../../support/edge/world.ts'
import { type Community, openCommunity } from './community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let fixture: Community
let ada: Member
let bo: Member
let spaceId: number
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	ada = await fixture.member()
	bo = await fixture.member()
	spaceId = await fixture.space()
})

/** Returns the public events, each checked against its description, without the id of the community that all have. */
async function publicEventsOf() {
	await world.deliver()
	const { data } = (await world.ask(readEvents, {}, fixture.owner)).ok
	return data.map(({ type, data: fields }) => {
		expect(publicEvents[type].data.strict().safeParse(fields).error).toBeUndefined()
		const { communityId, ...rest } = fields
		expect(communityId).toBe(fixture.id)
		return [type, rest]
	})
}
/** Sends each request twice; the repetition changes nothing. */
async function twice(send: () => Promise<unknown>) {
	for (let i = 0; i < 2; i++) await send()
}

test('the event log has each change of a post and its comments once', async () => {
	const params = { spaceId: String(spaceId) }
	const postId = (await world.ask(createPost, { params, body: { body: 'x' } }, ada)).ok.id
	const on = { params: { postId: String(postId) } }
	await world.deliver()
	await world.ask(updatePost, { ...on, body: { name: 'Title' } }, ada)
	await world.ask(updatePost, { ...on, body: { topics: [] } }, ada)
	await world.ask(updatePost, { ...on, body: { name: 'Not the author' } }, bo)
	const commentId = (await world.ask(createPostComment, { ...on, body: { body: 'y' } }, bo)).ok.id
	const onComment = { params: { commentId: String(commentId) } }
	await world.deliver()
	const replyId = (await world.ask(createReply, { ...onComment, body: { body: 'z' } }, ada)).ok.id
	await world.deliver()
	await world.ask(updatePostComment, { ...onComment, body: { body: 'Yes' } }, bo)
	await world.ask(updatePostComment, { ...onComment, body: { body: 'No' } }, ada)
	for (const operation of [hideComment, restoreComment])
		await twice(() => world.ask(operation, onComment, fixture.owner))
	await twice(() => world.ask(deletePostComment, { params: { commentId: String(replyId) } }, ada))
	for (const operation of [hidePost, restorePost]) await twice(() => world.ask(operation, on, fixture.owner))
	await Promise.all(Array.from({ length: 5 }, () => world.ask(deletePost, on, ada)))
	expect(await publicEventsOf()).toEqual([
		['post.created', { postId }],
		['post.updated', { postId }],
		['post.updated', { postId }],
		['post_comment.created', { postId, commentId }],
		['post_comment.created', { postId, commentId: replyId }],
		['post_comment.updated', { postId, commentId }],
		['post_comment.hidden', { postId, commentId }],
		['post_comment.restored', { postId, commentId }],
		['post_comment.deleted', { postId, commentId: replyId }],
		['post.hidden', { postId }],
		['post.restored', { postId }],
		['post.deleted', { postId }],
	])
})

test('the event log has each change of an RSVP once, also of who is promoted from the waitlist', async () => {
	const eventId = await fixture.event(spaceId, { capacity: 1, waitlist_enabled: 1 })
	const on = { params: { eventId: String(eventId) } }
	await Promise.all(Array.from({ length: 5 }, () => world.ask(attendEvent, on, ada)))
	await twice(() => world.ask(attendEvent, on, bo))
	await twice(() => world.ask(leaveEvent, on, ada))
	const messages = world.messages.splice(0)
	await world.deliver([...messages, ...messages])
	await world.ask(updateEvent, { ...on, body: { title: 'Walk' } }, fixture.owner)
	await world.ask(updateEvent, { ...on, body: { capacity: 2 } }, fixture.owner)
	expect(await publicEventsOf()).toEqual([
		['rsvp.changed', { eventId, memberId: ada.memberId, status: 'going' }],
		['rsvp.changed', { eventId, memberId: bo.memberId, status: 'waitlisted' }],
		['rsvp.deleted', { eventId, memberId: ada.memberId }],
		['rsvp.changed', { eventId, memberId: bo.memberId, status: 'going' }],
		['event.updated', { eventId }],
		['event.updated', { eventId }],
	])
})

test('the event log has no RSVP that a full event rejected', async () => {
	const eventId = await fixture.event(spaceId, { capacity: 0 })
	expect((await world.ask(attendEvent, { params: { eventId: String(eventId) } }, ada)).status).toBe(409)
	expect(await publicEventsOf()).toEqual([])
})

test('the event log has each flag and each ban once, and says what was flagged', async () => {
	const postId = await fixture.post(spaceId)
	const commentId = (
		await world.ask(createPostComment, { params: { postId: String(postId) }, body: { body: 'y' } }, bo)
	).ok.id
	await world.deliver()
	for (const [content_type, content_id] of [
		['Post', postId],
		['Comment', commentId],
	] as const)
		await twice(() =>
			world.ask(flagContent, { body: { content_type, content_id, reason: 'My secret reason' } }, ada),
		)
	await twice(() => world.ask(banMember, { params: { memberId: String(bo.memberId) } }, fixture.owner))
	const cleo = await fixture.member()
	const params = { communityId: String(fixture.id), memberId: String(cleo.memberId) }
	for (const status of ['inactive', 'banned', 'banned'] as const)
		await world.ask(updateCommunityMember, { params, body: { status } }, fixture.owner)
	expect(await publicEventsOf()).toEqual([
		['post_comment.created', { postId, commentId }],
		['flag.created', { flagId: expect.any(Number), postId, commentId: null }],
		['flag.created', { flagId: expect.any(Number), postId: null, commentId }],
		['member.left', { memberId: bo.memberId }],
		['member.banned', { memberId: bo.memberId }],
		['member.left', { memberId: cleo.memberId }],
		['member.banned', { memberId: cleo.memberId }],
	])
})
