import { expect, test } from 'vitest'
import type { SpacePolicy } from '#schema/contract/community/fields.ts'
import { createSpace, updateSpace } from '#schema/contract/community/manage/spaces.ts'
import { createEvent } from '#schema/contract/community/member/events.ts'
import { hidePost, restorePost } from '#schema/contract/community/member/moderation.ts'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import * as posts from '#schema/contract/community/member/posts.ts'
import { getSpace } from '#schema/contract/community/member/spaces.ts'
import { openHeadless } from '../community.ts'

const EVERYBODY = { post: 'everyone', comment: 'everyone' } as const

async function openSpace() {
	const { world, community, spaceId, ada } = await openHeadless()
	const people = {
		member: ada,
		moderator: await community.member({ role: 'moderator' }),
		admin: await community.member({ role: 'admin' }),
		owner: community.owner,
	}
	const inSpace = { params: { spaceId: String(spaceId) } }
	const setPolicies = (postPolicy: SpacePolicy, commentPolicy: SpacePolicy) =>
		world.ask(
			updateSpace,
			{
				params: { communityId: String(community.id), spaceId: String(spaceId) },
				body: { postPolicy, commentPolicy },
			},
			community.owner,
		)
	const start = new Date(world.now + 1_000).toISOString()
	const event = { title: 'Meeting', starts_at: start, ends_at: start }
	const tiptap_body = {
		body: { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Hi' }] }] },
	}
	/** Sends every request that writes in the space, including the aliases for clients of Circle. Returns the statuses. */
	const write = async (role: keyof typeof people, postId: number, commentId: number) => {
		const who = people[role]
		const onPost = { params: { postId: String(postId) } }
		const onComment = { params: { commentId: String(commentId) } }
		const circle = { tiptap_body } as never
		return {
			posts: [
				(await world.ask(posts.createPost, { ...inSpace, body: { body: 'x' } }, who)).status,
				(await world.ask(posts.createPost, { ...inSpace, body: circle }, who)).status,
			],
			event: (await world.ask(createEvent, { ...inSpace, body: event as never }, who)).status,
			comments: [
				(await world.ask(comments.createPostComment, { ...onPost, body: { body: 'x' } }, who)).status,
				(await world.ask(comments.createPostComment, { ...onPost, body: circle }, who)).status,
				(await world.ask(comments.createReply, { ...onComment, body: { body: 'x' } }, who)).status,
				(await world.ask(comments.createReply, { ...onComment, body: circle }, who)).status,
			],
		}
	}
	return { world, community, people, inSpace, setPolicies, write, spaceId }
}

test('the policies of a space decide who can post and comment there, by every operation', async () => {
	const { world, people, inSpace, setPolicies, write } = await openSpace()
	const mine = (await world.ask(posts.createPost, { ...inSpace, body: { body: 'x' } }, people.member)).ok
	const onPost = { params: { postId: String(mine.id) } }
	const own = (await world.ask(comments.createPostComment, { ...onPost, body: { body: 'x' } }, people.member))
		.ok
	const allowed = (post: boolean, comment: boolean, event = post) => ({
		posts: Array(2).fill(post ? 201 : 403),
		event: event ? 201 : 403,
		comments: Array(4).fill(comment ? 201 : 403),
	})
	await setPolicies('moderators', 'admins')
	expect(await write('member', mine.id, own.id)).toEqual(allowed(false, false))
	expect(await write('moderator', mine.id, own.id)).toEqual(allowed(true, false))
	expect(await write('admin', mine.id, own.id)).toEqual(allowed(true, true))
	await setPolicies('nobody', 'nobody')
	expect(await write('owner', mine.id, own.id)).toEqual(allowed(false, false))
	const read = (await world.ask(posts.getPost, onPost, people.owner)).ok
	expect(read.policies).toMatchObject({ can_comment: false, can_delete: true })
	const listed = (await world.ask(comments.listPostComments, onPost, people.owner)).ok.records[0]
	expect([listed?.policies.can_reply, listed?.replies[0]?.policies.can_reply]).toEqual([false, false])
	const edited = await world.ask(posts.updatePost, { ...onPost, body: { body: 'y' } }, people.member)
	expect(edited.status, 'authors still edit their posts').toBe(200)
	await setPolicies(EVERYBODY.post, EVERYBODY.comment)
	expect(await write('member', mine.id, own.id)).toEqual(allowed(true, true, false))
})

test('the error for a refused post or comment names the roles that may write in the space', async () => {
	const { world, people, inSpace, setPolicies, write } = await openSpace()
	const { id } = (await world.ask(posts.createPost, { ...inSpace, body: { body: 'x' } }, people.member)).ok
	await setPolicies('moderators', 'nobody')
	const post = await world.ask(posts.createPost, { ...inSpace, body: { body: 'x' } }, people.member)
	expect(post.error).toEqual(
		'only moderators, admins and owners may post in this space; choose another space',
	)
	const onPost = { params: { postId: String(id) }, body: { body: 'x' } }
	const comment = await world.ask(comments.createPostComment, onPost, people.owner)
	expect(comment.error).toEqual('nobody may comment in this space; choose another space')
	expect((await write('member', 404, 404)).comments).toEqual([404, 404, 404, 404])
})

test('a space in a response has emoji, description, visibility, number of posts and policies', async () => {
	const { world, community, people, inSpace, setPolicies, spaceId } = await openSpace()
	const of = { params: { communityId: String(community.id) } }
	const body = { name: 'Lenses', slug: 'lenses', emoji: '❤', description: 'All about glass\nand fog' }
	const created = (await world.ask(createSpace, { ...of, body: body as never }, community.owner)).ok.data
	expect(created).toMatchObject({
		emoji: '❤️',
		description: 'All about glass\nand fog',
		postPolicy: 'everyone',
		commentPolicy: 'everyone',
		postsCount: 0,
	})
	for (const emoji of ['like', 'two 👍👍', ''])
		expect(
			(await world.ask(createSpace, { ...of, body: { ...body, emoji } as never }, community.owner)).status,
		).toBe(400)
	const show = async (who = people.member) => (await world.ask(getSpace, inSpace, who)).ok
	const post = async () =>
		(await world.ask(posts.createPost, { ...inSpace, body: { body: 'x' } }, people.member)).ok.id
	const [first, second] = [await post(), await post()]
	const at = (id: number) => ({ params: { postId: String(id) } })
	expect((await show()).posts_count).toBe(2)
	// Each change is sent twice at the same time, and counted once.
	for (const [op, id, who, count] of [
		[hidePost, first, people.owner, 1],
		[restorePost, first, people.owner, 2],
		[posts.deletePost, second, people.member, 1],
	] as const) {
		await Promise.all([world.ask(op, at(id), who), world.ask(op, at(id), who)])
		expect((await show()).posts_count, op.id).toBe(count)
	}
	await setPolicies('moderators', 'everyone')
	expect(await show()).toEqual({
		id: spaceId,
		name: 'General',
		slug: 'general',
		space_type: 'basic',
		space_group_id: null,
		emoji: null,
		description: '',
		visibility: 'public',
		posts_count: 1,
		unread_posts_count: 0,
		policies: { can_create_post: false, can_create_event: false, can_create_comment: true },
	})
	expect((await show(people.moderator)).policies.can_create_event).toBe(true)
})
