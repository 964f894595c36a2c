import { beforeEach, expect, test } from 'vitest'
import { flagContent, hideComment, hidePost } from '#schema/contract/community/member/moderation.ts'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import { react } from '#schema/contract/community/member/post-reactions.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>

let world: World
let community: Community
let ada: Member
let bo: Member
let moderator: Member
let postId: number
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member({ name: 'Ada' })
	bo = await community.member()
	moderator = await community.member({ role: 'moderator' })
	postId = await community.post(await community.space())
})

const onPost = () => ({ params: { postId: String(postId) } })
const of = (id: number) => ({ params: { commentId: String(id) } })
const comment = async (body = 'Root', who = ada) =>
	(await world.ask(comments.createPostComment, { ...onPost(), body: { body } }, who)).ok
const reply = async (id: number, body = 'Reply', who = ada) =>
	(await world.ask(comments.createReply, { ...of(id), body: { body } }, who)).ok
const like = (id: number, reaction: string, who: Member) =>
	world.ask(react, { body: { reactable_type: 'Comment', reactable_id: id, reaction } }, who)
const list = (who: Member) => world.ask(comments.listPostComments, { ...onPost(), query: {} }, who)

test('a page of comments carries counts, my reaction and the first three replies with theirs', async () => {
	const { id } = await comment()
	const bodies = ['one', 'two', 'three', 'four']
	const ids: number[] = []
	for (const body of bodies) ids.push((await reply(id, body, bo)).id)
	await like(id, '🎬', ada)
	await like(id, 'like', bo)
	await like(ids[1] as number, '❤️', bo)
	const [found] = (await list(bo)).ok.records
	expect(found).toMatchObject({
		reactions: { '🎬': 1, like: 1 },
		my_reaction: 'like',
		replies_count: 4,
		author: { name: 'Ada' },
	})
	expect(found?.replies.map(({ body }) => body)).toEqual(['one', 'two', 'three'])
	expect(found?.replies[0]).toMatchObject({ reactions: {}, my_reaction: null, parent_comment_id: id })
	expect(found?.replies[1]).toMatchObject({ reactions: { '❤️': 1 }, my_reaction: '❤️' })
	expect((await list(ada)).ok.records[0]?.replies[1]?.my_reaction).toBeNull()
	const single = (await world.ask(comments.getPostComment, of(id), bo)).ok
	expect(single).toEqual(found)
	const { replies: _, ...second } = (await world.ask(comments.listReplies, { ...of(id), query: {} }, bo)).ok
		.records[1] as comments.PostComment
	expect(found?.replies[1]).toEqual(second)
})

test('creating and changing a comment returns the record that the list has', async () => {
	const created = await comment()
	expect((await list(ada)).ok.records).toEqual([created])
	await reply(created.id)
	const changed = await world.ask(
		comments.updatePostComment,
		{ ...of(created.id), body: { body: 'New' } },
		ada,
	)
	expect((await list(ada)).ok.records).toEqual([changed.ok])
})

test('a placeholder shows no counts and no likes of the removed comment', async () => {
	const { id } = await comment()
	await like(id, 'like', bo)
	await reply(id, 'Still here', bo)
	await world.ask(comments.deletePostComment, of(id), ada)
	expect((await list(ada)).ok.records).toMatchObject([
		{
			removed_at: expect.any(String),
			reactions: {},
			my_reaction: null,
			user_likes_count: 0,
			replies: [{ body: 'Still here' }],
		},
	])
})

test('a page of comments takes the same three statements with few and many replies', async () => {
	const few = await comment()
	const before = (await list(bo)).statements.length
	for (let i = 0; i < 12; i++) {
		const { id } = await comment(`Comment ${i}`)
		for (let k = 0; k < 4; k++) await like((await reply(id, `Reply ${k}`, bo)).id, '👍', ada)
	}
	await reply(few.id)
	const page = await list(bo)
	expect(page.ok.records).toHaveLength(13)
	expect([before, page.statements.length]).toEqual([3, 3])
})

const situations = ['own', 'foreign', 'removed', 'hidden', 'reply', 'on a hidden post'] as const
const actions = {
	can_edit: (id: number, who: Member) =>
		world.ask(comments.updatePostComment, { ...of(id), body: { body: 'Changed' } }, who),
	can_delete: (id: number, who: Member) => world.ask(comments.deletePostComment, of(id), who),
	can_reply: (id: number, who: Member) =>
		world.ask(comments.createReply, { ...of(id), body: { body: 'Hi' } }, who),
	can_react: (id: number, who: Member) => like(id, '👍', who),
	can_report: (id: number, who: Member) =>
		world.ask(flagContent, { body: { content_type: 'Comment', content_id: id, reason: 'Spam' } }, who),
	can_hide: (id: number, who: Member) => world.ask(hideComment, of(id), who),
}

/** Returns a comment of Ada in the given state. */
async function prepare(situation: (typeof situations)[number]): Promise<number> {
	const { id } = await comment('Root', situation === 'foreign' ? bo : ada)
	if (situation === 'reply') return (await reply(id)).id
	if (situation === 'removed') {
		await reply(id, 'Kept', bo)
		await world.ask(comments.deletePostComment, of(id), ada)
	}
	if (situation === 'hidden') await world.ask(hideComment, of(id), moderator)
	if (situation === 'on a hidden post') await world.ask(hidePost, onPost(), moderator)
	return id
}

test.each(situations)('policies of a comment (%s) say what each action then does', async (situation) => {
	for (const who of [ada, moderator])
		for (const [policy, act] of Object.entries(actions)) {
			postId = await community.post(await community.space(), { author_id: ada.userId })
			const id = await prepare(situation)
			const seen = (await world.ask(comments.getPostComment, of(id), who)).ok
			const said = seen.policies[policy as keyof typeof actions]
			const { status } = await act(id, who)
			expect([situation, who.memberId, policy, said]).toEqual([situation, who.memberId, policy, status < 300])
		}
})
