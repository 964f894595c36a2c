import { beforeEach, expect, test } from 'vitest'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import * as posts from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity } from '../community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let ids: { spaceId: string; otherSpaceId: string; postId: string; commentId: string; replyId: string }
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	const spaceId = String(await community.space())
	const otherSpaceId = String(await community.space())
	const post = await world.ask(posts.createPost, { params: { spaceId }, body: { body: 'Post' } }, ada)
	const postId = String(post.ok.id)
	const root = await world.ask(
		comments.createPostComment,
		{ params: { postId }, body: { body: 'Comment' } },
		ada,
	)
	const commentId = String(root.ok.id)
	const reply = await world.ask(comments.createReply, { params: { commentId }, body: { body: 'Reply' } }, ada)
	ids = { spaceId, otherSpaceId, postId, commentId, replyId: String(reply.ok.id) }
})

test('a post can be read, updated and deleted under the path of its space', async () => {
	const params = { spaceId: ids.spaceId, postId: ids.postId }
	expect((await world.ask(posts.getPostOfSpace, { params }, ada)).ok.body).toBe('Post')
	const updated = await world.ask(posts.updatePostOfSpace, { params, body: { body: 'New' } }, ada)
	expect(updated.ok.body).toBe('New')
	expect((await world.ask(posts.deletePostOfSpace, { params }, ada)).status).toBe(200)
	expect((await world.ask(posts.getPost, { params: { postId: ids.postId } }, ada)).status).toBe(404)
})

test('a post is not found under the path of another space, and stays unchanged', async () => {
	const params = { spaceId: ids.otherSpaceId, postId: ids.postId }
	const before = await world.dump()
	expect((await world.ask(posts.getPostOfSpace, { params }, ada)).status).toBe(404)
	const update = await world.ask(posts.updatePostOfSpace, { params, body: { body: 'New' } }, ada)
	expect(update.status).toBe(404)
	expect((await world.ask(posts.deletePostOfSpace, { params }, ada)).status).toBe(404)
	expect(await world.dump()).toEqual(before)
})

test('comments and replies can be read, updated and deleted under the path of their post', async () => {
	for (const commentId of [ids.replyId, ids.commentId]) {
		const params = { postId: ids.postId, commentId }
		expect((await world.ask(comments.getCommentOfPost, { params }, ada)).ok.id).toBe(Number(commentId))
		const updated = await world.ask(comments.updateCommentOfPost, { params, body: { body: 'New' } }, ada)
		expect(updated.ok.body).toBe('New')
		expect((await world.ask(comments.deleteCommentOfPost, { params }, ada)).status).toBe(200)
		expect((await world.ask(comments.getCommentOfPost, { params }, ada)).status).toBe(404)
	}
})

test('a reply can be read, updated and deleted under the path of its comment', async () => {
	const params = { parentId: ids.commentId, commentId: ids.replyId }
	expect((await world.ask(comments.getReply, { params }, ada)).ok.body).toBe('Reply')
	const updated = await world.ask(comments.updateReply, { params, body: { body: 'New' } }, ada)
	expect(updated.ok).toMatchObject({ body: 'New', parent_comment_id: Number(ids.commentId) })
	expect((await world.ask(comments.deleteReply, { params }, ada)).status).toBe(200)
	expect((await world.ask(comments.getReply, { params }, ada)).status).toBe(404)
})

test('a comment is not found under another post or parent, and stays unchanged', async () => {
	const before = await world.dump()
	const onOther = { postId: '987654', commentId: ids.commentId }
	const underReply = { parentId: ids.replyId, commentId: ids.commentId }
	expect((await world.ask(comments.getCommentOfPost, { params: onOther }, ada)).status).toBe(404)
	expect((await world.ask(comments.getReply, { params: underReply }, ada)).status).toBe(404)
	const body = { body: 'New' }
	expect((await world.ask(comments.updateCommentOfPost, { params: onOther, body }, ada)).status).toBe(404)
	expect((await world.ask(comments.updateReply, { params: underReply, body }, ada)).status).toBe(404)
	expect((await world.ask(comments.deleteCommentOfPost, { params: onOther }, ada)).status).toBe(404)
	expect((await world.ask(comments.deleteReply, { params: underReply }, ada)).status).toBe(404)
	expect(await world.dump()).toEqual(before)
})

test('reading under the path of an alias costs one more statement than under the own path', async () => {
	const { postId, spaceId, commentId } = ids
	const [own, alias] = [
		await world.ask(posts.getPost, { params: { postId } }, ada),
		await world.ask(posts.getPostOfSpace, { params: { spaceId, postId } }, ada),
	]
	expect(alias.statements.length - own.statements.length).toBe(1)
	const comment = await world.ask(comments.getPostComment, { params: { commentId } }, ada)
	expect(comment.statements.length).toBe(own.statements.length)
})
