import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { removeCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { react, unreact } from '#schema/contract/community/member/post-reactions.ts'
import { postReactions } from '#schema/tables/community/content.ts'
import { communityPersonalData } from '../../../../edge/community/personal-data/personal-data.ts'
import { batch } from '../../../../edge/platform/database/batch.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, insert, openCommunity, select } from '../community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let spaceId: number
let postId: number
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member()
	spaceId = await community.space()
	postId = await community.post(spaceId)
})

type Target = 'Post' | 'Comment' | 'Image'
const tables = { Post: 'posts', Comment: 'post_comments', Image: 'images' } as const

async function targetOf(type: Target): Promise<number> {
	if (type === 'Post') return postId
	const inPost = { community_id: community.id, post_id: postId, created_at: 1 }
	return type === 'Comment'
		? insert(world, 'post_comments', { ...inPost, body: 'c', updated_at: 1 })
		: insert(world, 'images', { ...inPost, object_key: 'k', content_type: 'image/png' })
}

const targetBody = (type: Target, id: number) => ({ reactable_type: type, reactable_id: id })
const reactTo = async (type: Target, id: number, reaction: string, who = ada) =>
	(await world.ask(react, { body: { ...targetBody(type, id), reaction } }, who)).status
const unreactTo = async (type: Target, id: number, who = ada) =>
	(await world.ask(unreact, { query: {}, body: targetBody(type, id) }, who)).status
const countsOf = async (type: Target, id: number) =>
	JSON.parse(
		(await select<{ n: string }>(world, `select reactions as n from ${tables[type]} where id = ${id}`))[0]
			?.n ?? '',
	) as Record<string, number>

describe.each(['Post', 'Comment', 'Image'] as const)('the counted reactions of a %s', (type) => {
	test('the counts of a target follow each new, replaced, repeated and removed reaction', async () => {
		const id = await targetOf(type)
		const steps: [() => Promise<number>, Record<string, number>][] = [
			[() => reactTo(type, id, '👍'), { '👍': 1 }],
			[() => reactTo(type, id, '👍'), { '👍': 1 }],
			[() => reactTo(type, id, 'like', community.owner), { '👍': 1, like: 1 }],
			[() => reactTo(type, id, 'like'), { like: 2 }],
			[() => unreactTo(type, id), { like: 1 }],
			[() => unreactTo(type, id), { like: 1 }],
			[() => unreactTo(type, id, community.owner), {}],
		]
		for (const [step, counts] of steps) {
			expect(await step()).toBe(200)
			expect(await countsOf(type, id)).toEqual(counts)
		}
	})

	test('a refused reaction is never counted', async () => {
		const id = await targetOf(type)
		expect(await reactTo(type, id, 'party')).toBe(400)
		await select(world, `update posts set deleted_at = 1 where id = ${postId} returning 1`)
		expect(await reactTo(type, id, '👍')).toBe(404)
		expect(await countsOf(type, id)).toEqual({})
	})

	test('a removed member leaves no reaction in the counts of a target', async () => {
		const id = await targetOf(type)
		await reactTo(type, id, '👍')
		await reactTo(type, id, '👍', community.owner)
		const params = { communityId: String(community.id), memberId: String(ada.memberId) }
		expect((await world.ask(removeCommunityMember, { params }, community.owner)).status).toBe(200)
		expect(await countsOf(type, id)).toEqual({ '👍': 1 })
	})
})

test('account deletion subtracts the reactions that it erases', async () => {
	await reactTo('Post', postId, '👍')
	await reactTo('Post', postId, '👍', community.owner)
	const key = communityPersonalData.personKeys?.find(({ column }) => column === postReactions.membershipId)
	const rows = sql`(select rowid from post_reactions where membership_id = ${ada.memberId})`
	await world.deps(({ db }) =>
		batch(db, { dependents: key?.updateDependents?.(db, rows, {} as never, world.now) ?? null }),
	)
	expect(await countsOf('Post', postId)).toEqual({ '👍': 1 })
})

test('two hundred parallel reactions of forty members count each member once', async () => {
	const members = await Promise.all(Array.from({ length: 40 }, () => community.member()))
	const reactions = ['👍', '🎬', 'like', '🔥', '👍'] as const
	const calls = members.flatMap((who) => reactions.map((reaction) => reactTo('Post', postId, reaction, who)))
	expect(new Set(await Promise.all(calls))).toEqual(new Set([200]))
	const stored = await select<{ emoji: string; n: number }>(
		world,
		'select emoji, count(*) as n from post_reactions group by emoji',
	)
	expect(await countsOf('Post', postId)).toEqual(Object.fromEntries(stored.map(({ emoji, n }) => [emoji, n])))
	expect(stored.reduce((sum, { n }) => sum + n, 0)).toBe(40)
})

test('a stored reaction with quotes and brackets is subtracted under its own name', async () => {
	const bad = 'say "hi" <b>[0].x'
	await insert(world, 'post_reactions', {
		membership_id: ada.memberId,
		post_id: postId,
		emoji: bad,
		created_at: 1,
	})
	await world.cron('*/10 * * * *')
	expect(await countsOf('Post', postId)).toEqual({ [bad]: 1 })
	await reactTo('Post', postId, '👍')
	expect(await countsOf('Post', postId)).toEqual({ '👍': 1 })
})
