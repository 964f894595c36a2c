import { expect, test } from 'vitest'
import { createEvent, deleteEvent } from '#schema/contract/community/events.ts'
import { hidePost, restorePost } from '#schema/contract/community/moderation.ts'
import { createPostComment, getPostComment } from '#schema/contract/community/post-comments.ts'
import { createPost, deletePost } from '#schema/contract/community/posts.ts'
import { openWorld } from '../world.ts'
import { openCommunity, select } from './community.ts'

test('what happens in a community stands in the outbox once, with the organization that runs it', async () => {
	const world = await openWorld()
	const club = await openCommunity(world)
	const ada = await club.member()
	const spaceId = await club.space()
	const inSpace = { params: { spaceId: String(spaceId) } }
	const postId = (await world.ask(createPost, { ...inSpace, body: { body: 'x' } }, ada)).ok.id
	const on = { params: { postId: String(postId) } }
	const commentId = (await world.ask(createPostComment, { ...on, body: { body: 'y' } }, ada)).ok.id
	const comment = await world.ask(getPostComment, { params: { commentId: String(commentId) } }, ada)
	expect(comment.ok).toMatchObject({ id: commentId, body: 'y', post_id: postId })
	await world.deliver()
	for (const op of [hidePost, hidePost, restorePost, restorePost, deletePost, deletePost])
		await world.ask(op, on, club.owner)
	const times = { starts_at: '2027-01-01T00:00:00Z', ends_at: '2027-01-01T01:00:00Z' }
	const event = { ...inSpace, body: { title: 'Meeting', ...times } }
	const eventId = (await world.ask(createEvent, event, club.owner)).ok.id
	expect((await world.ask(createEvent, event, ada)).status).toBe(403)
	for (let i = 0; i < 2; i++)
		await world.ask(deleteEvent, { params: { eventId: String(eventId) } }, club.owner)
	const told = await select<{ type: string; org_id: string; payload: string }>(
		world,
		"select type, org_id, payload from outbox where type like 'community.%' order by type",
	)
	expect(new Set(told.map((row) => row.org_id))).toEqual(new Set([club.orgId]))
	const communityId = club.id
	expect(told.map((row) => [row.type, JSON.parse(row.payload)])).toEqual([
		['community.comment_created', { communityId, postId, commentId }],
		['community.event_created', { communityId, eventId }],
		['community.event_deleted', { communityId, eventId }],
		['community.post_created', { communityId, postId }],
		['community.post_deleted', { communityId, postId }],
		['community.post_hidden', { communityId, postId }],
		['community.post_restored', { communityId, postId }],
	])
})
