import { beforeEach, expect, test } from 'vitest'
import { updateCommunity } from '#schema/contract/community/manage/communities.ts'
import * as likes from '#schema/contract/community/member/likes.ts'
import {
	createPostComment,
	createReply,
	listPostComments,
} from '#schema/contract/community/member/post-comments.ts'
import { react } from '#schema/contract/community/member/post-reactions.ts'
import { createPost, getPost } from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, insert, openCommunity } from '../community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let bo: Awaited<ReturnType<Community['member']>>
let post: { params: { postId: string } }
let comment: { params: { commentId: string } }
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	bo = await community.member()
	const params = { spaceId: String(await community.space()) }
	const created = await world.ask(createPost, { params, body: { body: 'Post' } }, ada)
	post = { params: { postId: String(created.ok.id) } }
	const commented = await world.ask(createPostComment, { ...post, body: { body: 'Comment' } }, ada)
	comment = { params: { commentId: String(commented.ok.id) } }
})

test('a like of a post is the reaction like, listed with its member and removed again', async () => {
	for (const who of [ada, bo, bo]) expect((await world.ask(likes.likePost, post, who)).status).toBe(200)
	expect((await world.ask(getPost, post, bo)).ok).toMatchObject({
		my_reaction: 'like',
		reactions: { like: 2 },
	})
	const listed = await world.ask(likes.listPostLikes, { ...post, query: { per_page: '1' } }, bo)
	expect(listed.ok).toMatchObject({
		has_next_page: true,
		records: [{ community_member_id: ada.memberId, reaction: 'like' }],
	})
	for (let i = 0; i < 2; i++) expect((await world.ask(likes.unlikePost, post, bo)).status).toBe(200)
	expect((await world.ask(getPost, post, bo)).ok).toMatchObject({ my_reaction: null, reactions: { like: 1 } })
})

test('a post counts its likes, and tells each caller whether they like it', async () => {
	await world.ask(likes.likePost, post, ada)
	const body = { reactable_type: 'Post' as const, reactable_id: Number(post.params.postId), reaction: '🎉' }
	await world.ask(react, { body }, bo)
	const read = async (who: typeof ada) => {
		const { is_liked, user_likes_count } = (await world.ask(getPost, post, who)).ok
		return [is_liked, user_likes_count]
	}
	expect([await read(ada), await read(bo)]).toEqual([
		[true, 1],
		[false, 1],
	])
	await world.ask(likes.likePost, post, bo)
	expect([await read(ada), await read(bo)]).toEqual([
		[true, 2],
		[true, 2],
	])
	for (const who of [ada, bo]) await world.ask(likes.unlikePost, post, who)
	expect([await read(ada), await read(bo)]).toEqual([
		[false, 0],
		[false, 0],
	])
})

test('a comment and its replies count their likes, and tell each caller whether they like them', async () => {
	const { id } = (await world.ask(createReply, { ...comment, body: { body: 'Reply' } }, bo)).ok
	await world.ask(likes.likeComment, comment, ada)
	for (const who of [ada, bo]) await world.ask(likes.likeComment, { params: { commentId: String(id) } }, who)
	const list = { params: post.params, query: {} }
	const read = async (who: typeof ada) =>
		(await world.ask(listPostComments, list, who)).ok.records.flatMap((one) =>
			[one, ...one.replies].map(({ is_liked, user_likes_count }) => [is_liked, user_likes_count]),
		)
	expect([await read(ada), await read(bo)]).toEqual([
		[
			[true, 1],
			[true, 2],
		],
		[
			[false, 1],
			[true, 2],
		],
	])
})

test('a like of a comment is listed with its member and removed again', async () => {
	expect((await world.ask(likes.likeComment, comment, bo)).status).toBe(200)
	const { ok } = await world.ask(likes.listCommentLikes, { ...comment, query: {} }, ada)
	expect(ok.records.map((one) => one.community_member_id)).toEqual([bo.memberId])
	expect((await world.ask(likes.unlikeComment, comment, bo)).status).toBe(200)
	expect((await world.ask(likes.listCommentLikes, { ...comment, query: {} }, ada)).ok.records).toEqual([])
})

test('a like replaces another reaction, but removing a like keeps another reaction', async () => {
	const body = { reactable_type: 'Post' as const, reactable_id: Number(post.params.postId), reaction: '🎉' }
	await world.ask(react, { body }, bo)
	expect((await world.ask(likes.listPostLikes, { ...post, query: {} }, ada)).ok.records).toEqual([])
	await world.ask(likes.unlikePost, post, bo)
	expect((await world.ask(getPost, post, bo)).ok.reactions).toEqual({ '🎉': 1 })
	await world.ask(likes.likePost, post, bo)
	expect((await world.ask(getPost, post, bo)).ok.reactions).toEqual({ like: 1 })
})

test('a reaction that is shown as a like is listed and removed as a like', async () => {
	const params = { communityId: String(community.id) } as never
	const setReactions = (reactions: string[]) =>
		world.ask(updateCommunity, { params, body: { reactions } }, community.owner)
	await setReactions(['party'])
	for (const [type, id] of [
		['Post', Number(post.params.postId)],
		['Comment', Number(comment.params.commentId)],
	] as const)
		await world.ask(react, { body: { reactable_type: type, reactable_id: id, reaction: 'party' } }, bo)
	const old = { membership_id: ada.memberId, post_id: Number(post.params.postId), created_at: 1 }
	await insert(world, 'post_reactions', { ...old, emoji: 'free <text>' })
	await world.cron('*/10 * * * *')
	const likers = async () => {
		const { ok } = await world.ask(likes.listPostLikes, { ...post, query: {} }, ada)
		return ok.records.map((one) => [one.community_member_id, one.reaction])
	}
	expect(await likers()).toEqual([[ada.memberId, 'like']])
	const { statements } = await world.ask(likes.listPostLikes, { ...post, query: {} }, ada)
	for (const line of await world.plan(statements.at(-1) ?? '')) expect(line).not.toContain('B-TREE')
	await world.ask(likes.unlikePost, post, bo)
	expect((await world.ask(getPost, post, bo)).ok).toMatchObject({ my_reaction: 'party', is_liked: false })
	await setReactions([])
	expect(await likers()).toEqual([
		[ada.memberId, 'like'],
		[bo.memberId, 'like'],
	])
	const ofComment = () => world.ask(likes.listCommentLikes, { ...comment, query: {} }, ada)
	expect((await ofComment()).ok.records).toHaveLength(1)
	const liked = { my_reaction: 'like', is_liked: true }
	expect((await world.ask(getPost, post, bo)).ok).toMatchObject({ ...liked, user_likes_count: 2 })
	await world.ask(likes.unlikeComment, comment, bo)
	expect((await ofComment()).ok.records).toEqual([])
	for (const who of [ada, bo]) await world.ask(likes.unlikePost, post, who)
	expect((await world.ask(getPost, post, bo)).ok).toMatchObject({ my_reaction: null, reactions: {} })
})

test('many likes and their removals at once leave a correct count', async () => {
	const people = [ada, bo, community.owner, await community.member(), await community.member()]
	await Promise.all(people.map((who) => world.ask(likes.likePost, post, who)))
	expect((await world.ask(getPost, post, bo)).ok.reactions).toEqual({ like: people.length })
	await Promise.all(
		[...people.slice(1), ...people.slice(1)].map((who) => world.ask(likes.unlikePost, post, who)),
	)
	expect((await world.ask(getPost, post, bo)).ok.reactions).toEqual({ like: 1 })
})
