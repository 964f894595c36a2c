import { beforeEach, expect, test } from 'vitest'
import { addPostImage } from '#schema/contract/community/member/images.ts'
import { flagContent, hidePost } from '#schema/contract/community/member/moderation.ts'
import { createPostComment } from '#schema/contract/community/member/post-comments.ts'
import { react } from '#schema/contract/community/member/post-reactions.ts'
import * as posts from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { wholePng } from '../../../support/shared/whole-pictures.ts'
import { type Community, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>

let world: World
let community: Community
let ada: Member
let bo: Member
let moderator: Member
let spaceId: number
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	bo = await community.member()
	moderator = await community.member({ role: 'moderator' })
	spaceId = await community.space()
})

const of = (id: number) => ({ params: { postId: String(id) } })
const get = async (id: number, who = bo) => (await world.ask(posts.getPost, of(id), who)).ok
const postOf = (who: Member, body = 'Hello') => community.post(spaceId, { author_id: who.userId, body })

test('lists of posts send the excerpt instead of the body on request', async () => {
	await postOf(ada, '👩‍🚀'.repeat(1_000))
	await postOf(ada, 'Short')
	const inSpace = { params: { spaceId: String(spaceId) } }
	const ofAda = { params: { memberId: String(ada.memberId) } }
	const query = { body: 'excerpt' as const }
	const lists = [
		await world.ask(posts.listHomePosts, { query }, bo),
		await world.ask(posts.listSpacePosts, { ...inSpace, query }, bo),
		await world.ask(posts.listMemberPosts, { ...ofAda, query }, bo),
	]
	const long = '👩‍🚀'.repeat(280)
	for (const list of lists)
		expect(list.ok.records.map(({ body, excerpt, is_truncated }) => [body, excerpt, is_truncated])).toEqual([
			['Short', 'Short', false],
			[long, long, true],
		])
	const [, whole] = (await world.ask(posts.listHomePosts, { query: {} }, bo)).ok.records
	expect([whole?.body.length, whole?.excerpt]).toEqual([5_000, long])
	const unknown = await world.ask(posts.listHomePosts, { query: { body: 'none' as never } }, bo)
	expect(unknown.status).toBe(400)
})

test('the author of a post has a role and a headline while they are an active member', async () => {
	await select(
		world,
		`update memberships set headline = 'Pilot', role = 'moderator' where id = ${ada.memberId} returning 1`,
	)
	const id = await postOf(ada)
	expect((await get(id)).author).toMatchObject({ role: 'moderator', headline: 'Pilot' })
	for (const status of ['inactive', 'banned']) {
		await select(world, `update memberships set status = '${status}' where id = ${ada.memberId} returning 1`)
		expect((await get(id)).author).toMatchObject({
			community_member_id: ada.memberId,
			role: null,
			headline: null,
		})
	}
})

test('a page of posts takes two statements with few and many images', async () => {
	const id = await postOf(ada)
	const page = () => world.ask(posts.listHomePosts, { query: {} }, bo)
	const before = (await page()).statements.length
	for (let i = 0; i < 10; i++) await world.ask(addPostImage, of(id), { ...ada, bytes: wholePng })
	for (let i = 0; i < 10; i++) await postOf(bo)
	const after = await page()
	expect([before, after.statements.length, after.ok.records.at(-1)?.images.length]).toEqual([2, 2, 10])
})

const actions = {
	can_edit: (id: number, who: Member) =>
		world.ask(posts.updatePost, { ...of(id), body: { body: 'Changed' } }, who),
	can_delete: (id: number, who: Member) => world.ask(posts.deletePost, of(id), who),
	can_comment: (id: number, who: Member) =>
		world.ask(createPostComment, { ...of(id), body: { body: 'Hi' } }, who),
	can_react: (id: number, who: Member) =>
		world.ask(react, { body: { reactable_type: 'Post', reactable_id: id } }, who),
	can_report: (id: number, who: Member) =>
		world.ask(flagContent, { body: { content_type: 'Post', content_id: id, reason: 'Spam' } }, who),
	can_hide: (id: number, who: Member) => world.ask(hidePost, of(id), who),
}

test.each(['own', 'foreign', 'hidden'])(
	'policies of a post (%s) say what each action then does',
	async (situation) => {
		for (const who of [ada, moderator])
			for (const [policy, act] of Object.entries(actions)) {
				const id = await postOf(situation === 'foreign' ? bo : ada)
				if (situation === 'hidden') await world.ask(hidePost, of(id), moderator)
				const said = (await get(id, who)).policies[policy as keyof typeof actions]
				const { status } = await act(id, who)
				expect([situation, who.memberId, policy, said]).toEqual([
					situation,
					who.memberId,
					policy,
					status < 300,
				])
			}
	},
)
