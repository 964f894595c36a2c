import { beforeEach, describe, expect, test } from 'vitest'
import { getImage } from '#schema/contract/community/member/images.ts'
import * as moderation from '#schema/contract/community/member/moderation.ts'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import { listPostReactions, react } from '#schema/contract/community/member/post-reactions.ts'
import * as posts from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, insert, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>

let world: World
let community: Community
let ada: Member
let bo: Member
let moderator: Member
let spaceId: number
let postId: number
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	bo = await community.member()
	moderator = await community.member({ role: 'moderator' })
	spaceId = await community.space()
	postId = await community.post(spaceId, { author_id: ada.userId, body: 'x'.repeat(300) })
})

const reason = 'Advertising'
const on = (id = postId) => ({ params: { postId: String(id) } })
const under = (id: number) => ({ params: { commentId: String(id) } })
const read = (who: Member, id = postId) => world.ask(posts.getPost, on(id), who)
const readComment = (who: Member, id: number) => world.ask(comments.getPostComment, under(id), who)
const comment = async (who: Member) =>
	(await world.ask(comments.createPostComment, { ...on(), body: { body: 'Nice' } }, who)).ok.id
const reply = async (who: Member, id: number) =>
	(await world.ask(comments.createReply, { ...under(id), body: { body: 'So' } }, who)).ok.id
const hidePost = () => world.ask(moderation.hidePost, { ...on(), body: { reason } }, moderator)
const hideComment = (id: number) =>
	world.ask(moderation.hideComment, { ...under(id), body: { reason } }, moderator)

describe('a hidden post', () => {
	test('moderators and the author read a hidden post with the reason, and nobody else does', async () => {
		await hidePost()
		for (const who of [moderator, community.owner, ada])
			expect((await read(who)).ok).toMatchObject({
				body: 'x'.repeat(300),
				hidden_at: expect.any(String),
				hidden_reason: reason,
			})
		expect((await read(bo)).status).toBe(404)
		const hidden = (await world.ask(moderation.listHidden, { query: {} }, moderator)).ok.records
		expect(hidden).toMatchObject([{ content_id: postId, hidden_reason: reason }])
	})

	test('no moderator reads a hidden post of a space they can’t see, and nobody after account deletion', async () => {
		await hidePost()
		await select(world, `update spaces set visibility = 'secret' where id = ${spaceId} returning 1`)
		expect([(await read(moderator)).status, (await read(ada)).status]).toEqual([404, 404])
		expect((await read(community.owner)).status).toBe(200)
		await select(world, `update posts set body = '' where id = ${postId} returning 1`)
		expect((await read(community.owner)).status).toBe(404)
	})

	test('shows the images of a hidden post to nobody but its readers', async () => {
		const file = 'communities/1/images/a.png'
		await world.deps(({ objects }) =>
			objects.vault.put(file, new Uint8Array([1]), { contentType: 'image/png' }),
		)
		const row = { community_id: community.id, post_id: postId, object_key: file, created_at: 1 }
		const imageId = await insert(world, 'images', { ...row, content_type: 'image/png' })
		const image = async (who: Member) =>
			(await world.ask(getImage, { params: { imageId: String(imageId) } }, who)).status
		await hidePost()
		expect([await image(moderator), await image(ada), await image(bo)]).toEqual([200, 200, 404])
	})

	test('lets the author and moderators of a hidden post do nothing but read it', async () => {
		await hidePost()
		for (const who of [ada, moderator]) {
			const refused = [
				await world.ask(posts.updatePost, { ...on(), body: { body: 'New' } }, who),
				await world.ask(posts.deletePost, on(), who),
				await world.ask(comments.createPostComment, { ...on(), body: { body: 'Why' } }, who),
				await world.ask(listPostReactions, { ...on(), query: {} }, who),
				await world.ask(react, { body: { reactable_type: 'Post', reactable_id: postId } }, who),
			]
			expect(refused.map(({ status }) => status)).toEqual(Array(5).fill(404))
		}
		for (const op of [posts.listHomePosts, posts.listSpacePosts]) {
			const input = { params: { spaceId: String(spaceId) }, query: {} }
			expect((await world.ask(op, input as never, ada)).ok.records, op.id).toEqual([])
		}
	})

	test('the readers of a hidden post read its comments, and nobody else does', async () => {
		const id = await comment(bo)
		const answer = await reply(bo, id)
		await hidePost()
		const list = (who: Member) => world.ask(comments.listPostComments, { ...on(), query: {} }, who)
		const replies = (who: Member) => world.ask(comments.listReplies, { ...under(id), query: {} }, who)
		for (const who of [moderator, community.owner, ada]) {
			expect((await list(who)).ok.records).toMatchObject([{ id, body: 'Nice' }])
			expect((await replies(who)).ok.records).toMatchObject([{ id: answer, body: 'So' }])
			expect((await readComment(who, answer)).ok).toMatchObject({ body: 'So' })
		}
		const refused = [await list(bo), await replies(bo), await readComment(bo, id)]
		expect(refused.map(({ status }) => status)).toEqual([404, 404, 404])
		const change = { ...under(id), body: { body: 'New' } }
		expect((await world.ask(comments.createReply, change, moderator)).status).toBe(404)
		expect((await world.ask(comments.deletePostComment, under(id), moderator)).status).toBe(404)
	})

	test('a restored post and a post deleted for good show no reason', async () => {
		await hidePost()
		await world.ask(moderation.restorePost, on(), moderator)
		expect((await read(bo)).ok).toMatchObject({ hidden_at: null, hidden_reason: null })
		await world.ask(posts.deletePost, on(), moderator)
		for (const who of [ada, moderator]) expect((await read(who)).status).toBe(404)
	})
})

describe('a hidden comment', () => {
	test('moderators read a hidden comment with its hidden replies, and authors what they wrote', async () => {
		const id = await comment(ada)
		const answer = await reply(bo, id)
		await hideComment(id)
		const hidden = { hidden_reason: reason, hidden_at: expect.any(String), removed_at: null }
		for (const who of [moderator, ada])
			expect((await readComment(who, id)).ok).toMatchObject({ body: 'Nice', ...hidden })
		const replies = (who: Member) => world.ask(comments.listReplies, { ...under(id), query: {} }, who)
		const withComment = { ...hidden, hidden_reason: 'The comment above was hidden' }
		expect((await replies(moderator)).ok.records).toMatchObject([{ id: answer, body: 'So', ...withComment }])
		expect((await replies(ada)).ok.records).toEqual([])
		expect((await readComment(bo, answer)).ok).toMatchObject({ body: 'So', ...withComment })
		expect([(await readComment(bo, id)).status, (await replies(bo)).status]).toEqual([404, 404])
		const list = await world.ask(comments.listPostComments, { ...on(), query: {} }, moderator)
		expect(list.ok.records).toEqual([])
	})
})

test('a reply hidden with its comment never shows the reason given to another author', async () => {
	const id = await comment(ada)
	const answer = await reply(bo, id)
	await hideComment(id)
	expect((await readComment(bo, answer)).ok.hidden_reason).toBe('The comment above was hidden')
	await world.ask(moderation.restoreComment, under(id), moderator)
	expect((await readComment(bo, answer)).ok).toMatchObject({ hidden_at: null, hidden_reason: null })
	await hideComment(answer)
	expect((await readComment(bo, answer)).ok.hidden_reason).toBe(reason)
})

test('moderators list the flags of one post or comment, with their reasons', async () => {
	const commentId = await comment(ada)
	const flag = (content_type: 'Post' | 'Comment', content_id: number, text: string) =>
		world.ask(moderation.flagContent, { body: { content_type, content_id, reason: text } }, bo)
	await flag('Post', postId, 'Spam')
	await flag('Comment', commentId, 'Rude')
	await hidePost()
	const reasons = async (query: Record<string, string>) =>
		(await world.ask(moderation.listFlags, { query }, moderator)).ok.records.map((one) => one.reason)
	expect(await reasons({ status: 'all', content_type: 'Post', content_id: String(postId) })).toEqual(['Spam'])
	expect(await reasons({ status: 'all', content_type: 'Comment' })).toEqual(['Rude'])
	expect(await reasons({ status: 'all', content_type: 'Comment', content_id: '999' })).toEqual([])
	const alone = await world.ask(moderation.listFlags, { query: { content_id: '1' } }, moderator)
	expect([alone.status, alone.error]).toEqual([400, 'content_id: send content_type too'])
})
