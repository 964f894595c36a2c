import { beforeEach, describe, expect, test } from 'vitest'
import {
	banMember,
	dismissFlag,
	flagContent,
	hideComment,
	hidePost,
	listFlags,
	listHidden,
	restoreComment,
	restorePost,
	unbanMember,
} from '#schema/contract/community/member/moderation.ts'
import { streamNotifications } from '#schema/contract/community/member/notifications.ts'
import {
	createPostComment,
	createReply,
	listPostComments,
} from '#schema/contract/community/member/post-comments.ts'
import { deletePost, getPost, listHomePosts } from '#schema/contract/community/member/posts.ts'
import { listSpaces, listTopics } from '#schema/contract/community/member/spaces.ts'
import { refreshMemberToken } from '#schema/contract/community/member/tokens.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, insert, memberTokens, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let fixture: Community
let ada: Member
let bo: Member
let moderator: Member
let spaceId: number
let postId: number
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	ada = await fixture.member()
	bo = await fixture.member()
	moderator = await fixture.member({ role: 'moderator' })
	spaceId = await fixture.space()
	postId = await fixture.post(spaceId, { author_id: ada.userId })
})

const on = (id: number) => ({ params: { postId: String(id) } })
const under = (id: number) => ({ params: { commentId: String(id) } })
const of = (who: Member) => ({ params: { memberId: String(who.memberId) } })
const flag = (who: Member, id = postId, type: 'Post' | 'Comment' = 'Post') =>
	world.ask(flagContent, { body: { content_type: type, content_id: id, reason: 'Spam' } }, who)
const flags = async (who: Member, status?: 'all') =>
	(await world.ask(listFlags, { query: { ...(status && { status }) } }, who)).ok.records
const comment = async (who: Member, id = postId) =>
	(await world.ask(createPostComment, { ...on(id), body: { body: 'Nice' } }, who)).ok.id
const reply = async (who: Member, id: number) =>
	(await world.ask(createReply, { ...under(id), body: { body: 'So' } }, who)).ok.id
const commentCount = async () => (await world.ask(getPost, on(postId), ada)).ok.comments_count
const listedComments = async () =>
	(await world.ask(listPostComments, { ...on(postId), query: {} }, ada)).ok.records.map((one) => [
		one.id,
		one.replies_count,
	])

describe('flags', () => {
	test('stores one flag per member and shows moderators the flagged content', { tags: 'd1' }, async () => {
		const commentId = await comment(ada)
		expect([(await flag(bo)).status, (await flag(bo)).status]).toEqual([201, 200])
		await flag(ada)
		await flag(bo, commentId, 'Comment')
		const [ofComment, second, first] = await flags(moderator)
		expect(await flags(moderator)).toHaveLength(3)
		expect(first).toEqual({
			id: expect.any(Number),
			content_type: 'Post',
			content_id: postId,
			post_id: postId,
			reason: 'Spam',
			created_at: expect.any(String),
			dismissed_at: null,
			state: 'shown',
			excerpt: 'Hello',
			author: {
				id: ada.userId,
				community_member_id: ada.memberId,
				name: expect.any(String),
				avatar_url: null,
				role: 'member',
				headline: null,
			},
			reporter: {
				id: bo.userId,
				community_member_id: bo.memberId,
				name: expect.any(String),
				avatar_url: null,
				role: 'member',
				headline: null,
			},
			space: { id: spaceId, name: 'Space', slug: expect.any(String) },
		})
		expect(second?.reporter?.id).toBe(ada.userId)
		expect(ofComment).toMatchObject({ content_type: 'Comment', content_id: commentId, post_id: postId })
	})

	test('dismisses all flags of the same content together', async () => {
		await flag(ada)
		await flag(bo)
		const other = await fixture.post(spaceId)
		await flag(bo, other)
		const { id } = (await flags(moderator)).at(-1) as { id: number }
		const dismissal = { params: { flagId: String(id) } }
		for (let i = 0; i < 2; i++) expect((await world.ask(dismissFlag, dismissal, moderator)).status).toBe(200)
		expect((await flags(moderator)).map((one) => one.content_id)).toEqual([other])
		expect((await flags(moderator, 'all')).map((one) => one.dismissed_at !== null)).toEqual([
			false,
			true,
			true,
		])
		expect((await world.ask(dismissFlag, { params: { flagId: '999' } }, moderator)).status).toBe(404)
	})

	test('closes a flag when its content is hidden or deleted', { tags: 'd1' }, async () => {
		const other = await fixture.post(spaceId)
		await flag(bo)
		await flag(bo, other)
		await world.ask(hidePost, on(postId), moderator)
		await world.ask(deletePost, on(other), moderator)
		expect(await flags(moderator)).toEqual([])
		expect((await flags(moderator, 'all')).map(({ state }) => state)).toEqual(['removed', 'hidden'])
		await world.ask(restorePost, on(postId), moderator)
		expect((await flags(moderator)).map((one) => one.content_id)).toEqual([postId])
	})

	test("hides flags from moderators who can't see the space, and rejects flags on invisible content", async () => {
		const secret = await fixture.space({ visibility: 'secret' })
		const hidden = await fixture.post(secret)
		expect((await flag(bo, hidden)).status).toBe(404)
		await flag(fixture.owner, hidden)
		expect(await flags(moderator)).toEqual([])
		const [one] = await flags(fixture.owner)
		const dismissal = { params: { flagId: String(one?.id) } }
		expect((await world.ask(dismissFlag, dismissal, moderator)).status).toBe(404)
		expect((await flags(fixture.owner)).length).toBe(1)
		expect((await world.ask(hidePost, on(hidden), moderator)).status).toBe(404)
	})
})

describe('hidden content', () => {
	test('hides a post from other members and restores it completely', async () => {
		const tagId = await insert(world, 'tags', {
			community_id: fixture.id,
			name: 'T',
			slug: 't',
			created_at: 1,
		})
		await select(world, `update posts set topics = '[${tagId}]' where id = ${postId} returning 1`)
		await insert(world, 'space_topics', { space_id: spaceId, tag_id: tagId, posts_count: 1 })
		const topics = async () =>
			(await world.ask(listTopics, { params: { spaceId: String(spaceId) } }, ada)).ok.records.map(
				(one) => one.posts_count,
			)
		await comment(bo)
		for (let i = 0; i < 2; i++)
			expect((await world.ask(hidePost, on(postId), moderator)).status).toBe(i === 0 ? 200 : 404)
		expect((await world.ask(getPost, on(postId), bo)).status).toBe(404)
		expect((await world.ask(listHomePosts, { query: {} }, ada)).ok.records).toEqual([])
		expect(await topics()).toEqual([])
		for (let i = 0; i < 2; i++)
			expect((await world.ask(restorePost, on(postId), moderator)).status).toBe(i === 0 ? 200 : 404)
		expect((await world.ask(getPost, on(postId), ada)).ok).toMatchObject({ id: postId, comments_count: 1 })
		expect(await topics()).toEqual([1])
	})

	test('hides and restores a comment with its replies and updates every count', { tags: 'd1' }, async () => {
		const [first, second] = [await comment(bo), await comment(ada)]
		const inner = await reply(ada, first)
		await reply(bo, first)
		await world.ask(hideComment, under(inner), moderator)
		expect([await commentCount(), await listedComments()]).toEqual([
			3,
			[
				[first, 1],
				[second, 0],
			],
		])
		world.pass(1)
		await world.ask(hideComment, under(first), moderator)
		expect([await commentCount(), await listedComments()]).toEqual([1, [[second, 0]]])
		expect((await world.ask(restoreComment, under(inner), moderator)).status).toBe(404)
		await world.ask(restoreComment, under(first), moderator)
		expect([await commentCount(), await listedComments()]).toEqual([
			3,
			[
				[first, 1],
				[second, 0],
			],
		])
		await world.ask(restoreComment, under(inner), moderator)
		expect([await commentCount(), (await listedComments())[0]]).toEqual([4, [first, 2]])
	})

	test('lists restorable content for moderators who see its space', { tags: 'd1' }, async () => {
		const hidden = async (who: Member) =>
			(await world.ask(listHidden, { query: {} }, who)).ok.records.map((one) => [
				one.content_type,
				one.content_id,
			])
		const commentId = await comment(bo)
		await reply(ada, commentId)
		const secret = await fixture.post(await fixture.space({ visibility: 'secret' }))
		const other = await fixture.post(spaceId)
		for (const id of [secret, other]) {
			world.pass(1)
			await world.ask(hidePost, on(id), fixture.owner)
		}
		world.pass(1)
		await world.ask(hideComment, under(commentId), moderator)
		const rest = [
			['Comment', commentId],
			['Post', other],
		]
		expect(await hidden(moderator)).toEqual(rest)
		expect(await hidden(fixture.owner)).toEqual([...rest, ['Post', secret]])
		await world.ask(restoreComment, under(commentId), moderator)
		await world.ask(deletePost, on(postId), ada)
		await world.ask(restorePost, on(other), moderator)
		expect(await hidden(moderator)).toEqual([])
	})

	test('content that was deleted or whose author was erased can’t be restored', async () => {
		await world.ask(deletePost, on(postId), ada)
		expect((await world.ask(restorePost, on(postId), moderator)).status).toBe(404)
		const other = await fixture.post(spaceId)
		await world.ask(hidePost, on(other), moderator)
		await select(world, `update posts set body = '', author_id = null where id = ${other} returning 1`)
		expect((await world.ask(restorePost, on(other), moderator)).status).toBe(404)
	})
})

describe('bans', () => {
	const statusOf = async (who: Member) => (await world.ask(listSpaces, {}, who)).status
	test('a ban blocks a member immediately, until it is lifted', { tags: 'd1' }, async () => {
		for (let i = 0; i < 2; i++) expect((await world.ask(banMember, of(bo), moderator)).status).toBe(200)
		expect([await statusOf(bo), await statusOf(ada)]).toEqual([403, 200])
		for (let i = 0; i < 2; i++) expect((await world.ask(unbanMember, of(bo), moderator)).status).toBe(200)
		expect(await statusOf(bo)).toBe(200)
		const domainEvents = await select<{ payload: string }>(
			world,
			"select payload from outbox where type = 'member.left'",
		)
		expect(domainEvents.map(({ payload }) => JSON.parse(payload))).toEqual([
			{ communityId: fixture.id, memberId: bo.memberId },
		])
	})

	test('revokes tokens and closes streams on a ban, and keeps the tokens revoked after an unban', {
		tags: 'd1',
	}, async () => {
		const tokens = await memberTokens(world, await fixture.key(), bo.memberId)
		const stream = await world.fetch(
			new Request(`https://edge.test${streamNotifications.path}`, {
				headers: { authorization: `Bearer ${tokens.access_token}` },
			}),
		)
		await world.ask(banMember, of(bo), moderator)
		expect(await stream.text()).toBe('retry: 5000\n\n')
		await world.ask(unbanMember, of(bo), moderator)
		expect(await statusOf(bo)).toBe(200)
		expect((await world.ask(listSpaces, {}, { token: tokens.access_token })).status).toBe(401)
		const again = { body: { refresh_token: tokens.refresh_token } }
		expect((await world.ask(refreshMemberToken, again)).status).toBe(401)
	})

	test('bans only members with a lower role, and returns 404 without an active or banned membership', {
		tags: 'd1',
	}, async () => {
		const admin = await fixture.member({ role: 'admin' })
		const other = await fixture.member({ role: 'moderator' })
		for (const [who, whom, status] of [
			[moderator, other, 403],
			[moderator, moderator, 403],
			[moderator, admin, 403],
			[admin, admin, 403],
			[admin, fixture.owner, 403],
			[admin, other, 200],
			[fixture.owner, admin, 200],
		] as const)
			expect((await world.ask(banMember, of(whom), who)).status).toBe(status)
		const formerMember = await fixture.member({ status: 'inactive' })
		const outsider = await (await openCommunity(world, 'other')).member()
		for (const whom of [formerMember, outsider])
			for (const op of [banMember, unbanMember])
				expect((await world.ask(op, of(whom), moderator)).status).toBe(404)
	})
})

test('rejects every moderation request of a plain member', { tags: 'd1' }, async () => {
	await flag(bo)
	for (const op of [
		listFlags,
		listHidden,
		dismissFlag,
		hidePost,
		restorePost,
		hideComment,
		restoreComment,
		banMember,
	]) {
		const params = { postId: '1', commentId: '1', flagId: '1', memberId: String(bo.memberId) }
		const answer = await world.ask(op as Operation, { params, query: {} } as never, ada)
		expect([op.id, answer.status]).toEqual([op.id, 403])
	}
})
