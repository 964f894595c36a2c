/** @module-tag d1 */
import { expect, test } from 'vitest'
import { createEvent, deleteEvent } from '#schema/contract/community/member/events.ts'
import { hidePost, restorePost } from '#schema/contract/community/member/moderation.ts'
import { createPostComment, getPostComment } from '#schema/contract/community/member/post-comments.ts'
import { createPost, deletePost } from '#schema/contract/community/member/posts.ts'
import { openWorld } from '../../support/edge/world.ts'
import { openCommunity, select } from './community.ts'

test('records every change in a community as one domain event with the organization', async () => {
	const world = await openWorld()
	const fixture = await openCommunity(world)
	const ada = await fixture.member()
	const spaceId = await fixture.space()
	const inSpace = { params: { spaceId: String(spaceId) } }
	const postId = (await world.ask(createPost, { ...inSpace, body: { body: 'x' } }, ada)).ok.id
	const on = { params: { postId: String(postId) } }
	const commentId = (await world.ask(createPostComment, { ...on, body: { body: 'y' } }, ada)).ok.id
	const comment = await world.ask(getPostComment, { params: { commentId: String(commentId) } }, ada)
	expect(comment.ok).toMatchObject({ id: commentId, body: 'y', post_id: postId })
	await world.deliver()
	for (const op of [hidePost, hidePost, restorePost, restorePost, deletePost, deletePost])
		await world.ask(op, on, fixture.owner)
	const times = { starts_at: '2038-01-01T00:00:00Z', ends_at: '2038-01-01T01:00:00Z' }
	const event = { ...inSpace, body: { title: 'Meeting', ...times } }
	const eventId = (await world.ask(createEvent, event, fixture.owner)).ok.id
	expect((await world.ask(createEvent, event, ada)).status).toBe(403)
	for (let i = 0; i < 2; i++)
		await world.ask(deleteEvent, { params: { eventId: String(eventId) } }, fixture.owner)
	const domainEvents = await select<{ type: string; org_id: string; payload: string }>(
		world,
		"select type, org_id, payload from outbox where type like 'post%' or type like 'event.%' order by type",
	)
	expect(new Set(domainEvents.map((row) => row.org_id))).toEqual(new Set([fixture.orgId]))
	const communityId = fixture.id
	expect(domainEvents.map((row) => [row.type, JSON.parse(row.payload)])).toEqual([
		['event.created', { communityId, eventId }],
		['event.deleted', { communityId, eventId }],
		['post.created', { communityId, postId }],
		['post.deleted', { communityId, postId }],
		['post.hidden', { communityId, postId }],
		['post.restored', { communityId, postId }],
		['post_comment.created', { communityId, postId, commentId }],
	])
})
