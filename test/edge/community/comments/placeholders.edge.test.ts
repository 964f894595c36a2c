import { beforeEach, describe, expect, test } from 'vitest'
import {
	flagContent,
	hideComment,
	listFlags,
	listHidden,
	restoreComment,
} from '#schema/contract/community/member/moderation.ts'
import { listNotifications } from '#schema/contract/community/member/notifications.ts'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import { listCommentReactions, react } from '#schema/contract/community/member/post-reactions.ts'
import { getPost } from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>

let world: World
let community: Community
let ada: Member
let bo: Member
let postId: number
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	bo = await community.member()
	postId = await community.post(await community.space())
})

const of = (id: number) => ({ params: { commentId: String(id) } })
const onPost = () => ({ params: { postId: String(postId) } })
const comment = async (who = ada) =>
	(await world.ask(comments.createPostComment, { ...onPost(), body: { body: 'Root' } }, who)).ok.id
const reply = (id: number, who = bo) =>
	world.ask(comments.createReply, { ...of(id), body: { body: 'Reply' } }, who)
const remove = (id: number, who = ada) => world.ask(comments.deletePostComment, of(id), who)
const get = (id: number, who = bo) => world.ask(comments.getPostComment, of(id), who)
const list = async () =>
	(await world.ask(comments.listPostComments, { ...onPost(), query: {} }, bo)).ok.records
const replies = (id: number) => world.ask(comments.listReplies, { ...of(id), query: {} }, bo)
const count = async () => (await world.ask(getPost, onPost(), bo)).ok.comments_count

describe('deleting a comment', () => {
	test.each(['author', 'moderator'])(
		'deleting a comment by its %s never deletes the replies of others',
		async (role) => {
			const id = await comment()
			const answer = (await reply(id)).ok.id
			await reply(id, ada)
			const deleter = role === 'author' ? ada : await community.member({ role: 'moderator' })
			expect((await remove(id, deleter)).status).toBe(200)
			const placeholder = {
				id,
				body: '',
				author: null,
				my_reaction: null,
				is_liked: false,
				user_likes_count: 0,
				removed_at: expect.any(String),
				replies_count: 2,
			}
			expect(await list()).toMatchObject([placeholder])
			expect((await get(id)).ok).toMatchObject(placeholder)
			expect((await replies(id)).ok.records).toMatchObject([
				{ id: answer, body: 'Reply', removed_at: null },
				{ body: 'Reply' },
			])
			expect(await count()).toBe(2)
			expect((await list())[0]).not.toMatchObject({ body: 'Root' })
		},
	)

	test('a deleted comment leaves nothing without replies, or once its last reply is deleted', async () => {
		const alone = await comment()
		await remove(alone)
		expect((await get(alone)).status).toBe(404)
		const id = await comment()
		const ids = [(await reply(id)).ok.id, (await reply(id)).ok.id]
		await remove(id)
		await remove(ids[0] as number, bo)
		expect(await list()).toMatchObject([{ id, replies_count: 1 }])
		await remove(ids[1] as number, bo)
		expect([await list(), (await get(id)).status, (await replies(id)).status]).toEqual([[], 404, 404])
		expect([await count(), (await reply(id)).status]).toEqual([0, 404])
	})

	test('a deleted comment allows further replies to its thread, and nothing else', async () => {
		const id = await comment()
		await reply(id)
		const target = { reactable_type: 'Comment' as const, reactable_id: id }
		await world.ask(react, { body: target }, bo)
		const flag = { content_type: 'Comment' as const, content_id: id, reason: 'Spam' }
		await world.ask(flagContent, { body: flag }, bo)
		await remove(id)
		expect((await reply(id)).status).toBe(201)
		expect((await get(id)).ok).toMatchObject({ my_reaction: null, replies_count: 2 })
		const refused = [
			await world.ask(react, { body: target }, ada),
			await world.ask(flagContent, { body: flag }, ada),
			await world.ask(listCommentReactions, { ...of(id), query: {} }, bo),
			await world.ask(comments.updatePostComment, { ...of(id), body: { body: 'Back' } }, ada),
			await remove(id),
			await remove(id, bo),
		]
		expect(refused.map(({ status }) => status)).toEqual(Array(6).fill(404))
		const query = { status: 'all' as const }
		const flags = await world.ask(listFlags, { query }, community.owner)
		expect(flags.ok.records).toMatchObject([{ content_id: id, state: 'removed' }])
		expect((await world.ask(listFlags, { query: {} }, community.owner)).ok.records).toEqual([])
	})

	test.each(['with', 'without'])(
		'deleting a comment %s replies keeps its text in no row',
		async (replied) => {
			const id = await comment()
			if (replied === 'with') await reply(id)
			await remove(id)
			const stored = await select(world, `select body from post_comments where id = ${id}`)
			expect(stored).toEqual([{ body: '' }])
		},
	)

	test('deleting a comment ends the notifications of its author, and those about it', {
		tags: 'd1',
	}, async () => {
		const id = await comment()
		await reply(id)
		await remove(id)
		await reply(id)
		const carl = await community.member()
		await world.ask(react, { body: { reactable_type: 'Comment', reactable_id: id } }, carl)
		await world.deliver()
		const kinds = async (who: Member) =>
			(await world.ask(listNotifications, { query: {} }, who)).ok.records.map(({ kind }) => kind)
		expect(await kinds(ada)).toEqual([])
		expect(await kinds(community.owner)).toEqual(['post_comment', 'post_comment'])
	})

	test('account deletion does not lock up the replies that were hidden with a comment', async () => {
		const id = await comment()
		const answer = (await reply(id)).ok.id
		const moderator = await community.member({ role: 'moderator' })
		await world.ask(hideComment, of(id), moderator)
		expect((await world.ask(restoreComment, of(answer), moderator)).status).toBe(404)
		await select(world, `update post_comments set body = '', author_id = null where id = ${id} returning 1`)
		const listed = (await world.ask(listHidden, { query: {} }, moderator)).ok.records
		expect(listed.map(({ content_id }) => content_id)).toEqual([answer])
		expect((await world.ask(restoreComment, of(answer), moderator)).status).toBe(200)
		expect(await list()).toMatchObject([{ id, body: '', author: null, removed_at: expect.any(String) }])
		expect((await replies(id)).ok.records).toMatchObject([{ id: answer, body: 'Reply' }])
	})

	test('deleting a comment at the moment of its first reply keeps both, or refuses the reply', async () => {
		for (let round = 0; round < 8; round++) {
			const id = await comment()
			const acts = [() => reply(id), () => remove(id)]
			const answers = await Promise.all((round % 2 ? acts.toReversed() : acts).map((act) => act()))
			const replied = answers.some(({ status }) => status === 201)
			expect(answers.map(({ status }) => status).toSorted()).toEqual(replied ? [200, 201] : [200, 404])
			expect((await get(id)).status).toBe(replied ? 200 : 404)
			if (replied) expect((await replies(id)).ok.records).toHaveLength(1)
		}
	})
})
