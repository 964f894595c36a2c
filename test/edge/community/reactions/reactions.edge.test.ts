import { beforeEach, describe, expect, test } from 'vitest'
import { getCommunity, updateCommunity } from '#schema/contract/community/manage/communities.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { getPostComment } from '#schema/contract/community/member/post-comments.ts'
import { listPostReactions, react } from '#schema/contract/community/member/post-reactions.ts'
import { getPost } from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, insert, openCommunity, select } from '../community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let postId: number
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	postId = await community.post(await community.space())
})

type Target = 'Post' | 'Comment' | 'Image'
const targets: Target[] = ['Post', 'Comment', 'Image']

async function targetOf(type: Target): Promise<number> {
	if (type === 'Post') return postId
	const inPost = { community_id: community.id, post_id: postId, created_at: 1 }
	return type === 'Comment'
		? insert(world, 'post_comments', { ...inPost, body: 'c', updated_at: 1 })
		: insert(world, 'images', { ...inPost, object_key: 'k', content_type: 'image/png' })
}

const reactTo = (type: Target, id: number, reaction: unknown, who = ada) =>
	world.ask(react, { body: { reactable_type: type, reactable_id: id, reaction } as never }, who)
const setReactions = (reactions: unknown, who = community.owner) =>
	world.ask(
		updateCommunity,
		{ params: { communityId: String(community.id) }, body: { reactions } as never },
		who,
	)
const post = async () => (await world.ask(getPost, { params: { postId: String(postId) } }, ada)).ok
/** Counts reactions that a test inserted as rows. */
const repairCounts = () => world.cron('*/10 * * * *')
const stored = () => select(world, 'select emoji from post_reactions')

describe.each(targets)('a reaction to a %s', (type) => {
	test('a reaction that is neither an emoji nor a name is refused and never stored', async () => {
		const id = await targetOf(type)
		for (const text of ['not an emoji at all <b>', '<b>', '👍👍', '日', 'Party', '👍'.repeat(40), ''])
			expect((await reactTo(type, id, text)).status, text).toBe(400)
		expect(await stored()).toEqual([])
	})

	test('a reaction is refused if the set of the community lacks its name', async () => {
		const id = await targetOf(type)
		const refused = await reactTo(type, id, 'party')
		expect(refused).toMatchObject({
			status: 400,
			error: expect.stringContaining('unknown in this community'),
		})
		expect((await reactTo(type, id, 'party', community.owner)).status).toBe(400)
		expect((await reactTo(type, 99_999, 'party')).status).toBe(404)
		expect(await stored()).toEqual([])
		expect((await setReactions(['party', '+1'])).status).toBe(200)
		for (const name of ['party', '+1', 'like', '🎬'])
			expect((await reactTo(type, id, name)).ok.reaction).toBe(name)
		await setReactions([])
		expect((await reactTo(type, id, 'party')).status).toBe(400)
		expect(await stored()).toEqual([{ emoji: '🎬' }])
	})
})

test('the same emoji with and without its variation selector counts as one reaction', async () => {
	expect((await reactTo('Post', postId, '❤')).ok.reaction).toBe('❤️')
	await reactTo('Post', postId, '❤️', community.owner)
	expect(await post()).toMatchObject({ reactions: { '❤️': 2 }, my_reaction: '❤️' })
})

test('an invalid reaction stored earlier is shown as like everywhere, never as its text', async () => {
	const bad = { membership_id: ada.memberId, emoji: 'buy at evil.example <b>', created_at: 1 }
	await insert(world, 'post_reactions', { ...bad, post_id: postId })
	const commentId = await targetOf('Comment')
	await insert(world, 'post_reactions', { ...bad, comment_id: commentId })
	await repairCounts()
	await reactTo('Post', postId, 'like', community.owner)
	expect(await post()).toMatchObject({ reactions: { like: 2 }, my_reaction: 'like' })
	const params = { postId: String(postId) }
	const listed = (await world.ask(listPostReactions, { params, query: {} }, ada)).ok.records
	expect(listed.map(({ reaction }) => reaction)).toEqual(['like', 'like'])
	const comment = { params: { commentId: String(commentId) } }
	expect((await world.ask(getPostComment, comment, ada)).ok.my_reaction).toBe('like')
})

test('a stored reaction named like a property of every object is counted as like', async () => {
	const members = [ada, community.owner]
	for (const [i, emoji] of ['constructor', '__proto__'].entries()) {
		const row = { membership_id: members[i]?.memberId ?? 0, emoji, created_at: 1 }
		await insert(world, 'post_reactions', { ...row, post_id: postId })
	}
	await repairCounts()
	const { reactions } = await post()
	expect(Object.entries(reactions)).toEqual([['like', 2]])
})

test('an emoji stored without its variation selector is never shown as like', async () => {
	const row = { membership_id: ada.memberId, emoji: '\u2764', created_at: 1 }
	await insert(world, 'post_reactions', { ...row, post_id: postId })
	await repairCounts()
	await reactTo('Post', postId, '❤️', community.owner)
	expect(await post()).toMatchObject({ reactions: { '❤️': 2 }, my_reaction: '❤️' })
})

test('a named reaction is shown as like while it is missing in the set of the community', async () => {
	const commentId = await targetOf('Comment')
	const row = { membership_id: ada.memberId, emoji: 'buy_at_evil', created_at: 1 }
	await insert(world, 'post_reactions', { ...row, post_id: postId })
	await insert(world, 'post_reactions', { ...row, comment_id: commentId })
	await repairCounts()
	await reactTo('Post', postId, 'like', community.owner)
	const shown = async () => {
		const params = { postId: String(postId) }
		const listed = (await world.ask(listPostReactions, { params, query: {} }, ada)).ok.records
		const comment = await world.ask(getPostComment, { params: { commentId: String(commentId) } }, ada)
		const { reactions, my_reaction } = await post()
		return [reactions, my_reaction, comment.ok.my_reaction, ...listed.map(({ reaction }) => reaction)]
	}
	expect(await shown()).toEqual([{ like: 2 }, 'like', 'like', 'like', 'like'])
	await setReactions(['buy_at_evil'])
	const own = 'buy_at_evil'
	expect(await shown()).toEqual([{ like: 1, [own]: 1 }, own, own, own, 'like'])
})

describe('the set of reactions of a community', () => {
	test('the set of reactions is shown to owners and members, and replaced as a whole', async () => {
		expect((await setReactions(['party', 'wave'])).ok.data.reactions).toEqual(['party', 'wave'])
		expect((await setReactions(['wave'])).ok.data.reactions).toEqual(['wave'])
		const params = { communityId: String(community.id) }
		expect((await world.ask(getCommunity, { params }, community.owner)).ok.data.reactions).toEqual(['wave'])
		expect((await world.ask(getCurrentMember, {}, ada)).ok.community.reactions).toEqual(['wave'])
	})

	test('the set of reactions refuses invalid and repeated names, more than 100, and changes by others', async () => {
		const names = Array.from({ length: 101 }, (_, i) => `r${i}`)
		for (const set of [
			['<b>'],
			['A'],
			[''],
			['x'.repeat(33)],
			['a', 'a'],
			['👍'],
			names,
			'party',
			[7],
			['constructor'],
			['__proto__'],
		])
			expect((await setReactions(set)).status, String(set).slice(0, 20)).toBe(400)
		expect((await setReactions(names.slice(1))).status).toBe(200)
		expect((await setReactions(['mine'], ada)).status).toBe(404)
	})

	test('the set of reactions is not shared with other communities', async () => {
		const other = await openCommunity(world, 'other')
		await select(world, `update communities set reactions = '["party"]' where id = ${other.id} returning 1`)
		expect((await reactTo('Post', postId, 'party')).status).toBe(400)
	})
})
