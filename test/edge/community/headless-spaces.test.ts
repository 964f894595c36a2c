import { beforeEach, describe, expect, test } from 'vitest'
import * as followers from '#schema/contract/community/followers.ts'
import * as members from '#schema/contract/community/members.ts'
import * as spaces from '#schema/contract/community/spaces.ts'
import type { World } from '../world.ts'
import { type Community, envelope, insert, openHeadless } from './community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let spaceId: number
beforeEach(async () => {
	;({ world, community, ada, spaceId } = await openHeadless())
})

describe('spaces', () => {
	const at = (id: number) => ({ params: { spaceId: String(id) } })

	test('are listed, shown, joined and left', async () => {
		const record = {
			id: spaceId,
			name: 'General',
			slug: 'general',
			space_type: 'basic',
			space_group_id: null,
		}
		expect((await world.ask(spaces.listSpaces, {}, ada)).ok).toEqual(envelope([record]))
		expect((await world.ask(spaces.getSpace, at(spaceId), ada)).ok).toEqual(record)
		const before = await world.dump()
		for (const op of [spaces.joinSpace, spaces.leaveSpace])
			expect((await world.ask(op, at(spaceId), ada)).ok).toEqual({ success: true })
		expect(await world.dump()).toEqual(before)
	})

	test('of a member are those that the member and the caller see', async () => {
		const groupId = await insert(world, 'space_groups', {
			community_id: community.id,
			name: 'G',
			slug: 'g',
			created_at: 1,
		})
		const both = await community.space({ visibility: 'private', space_group_id: groupId, position: 1 })
		const hers = await community.space({ visibility: 'secret', position: 2 })
		const bo = await community.member()
		await community.grant([ada.memberId, bo.memberId], [both])
		await community.grant([ada.memberId], [hers])
		const ofAda = (who: typeof ada) =>
			world.ask(spaces.listMemberSpaces, { params: { memberId: String(ada.memberId) } }, who)
		const { ok } = await ofAda(bo)
		expect(ok.records.map(({ id }) => id)).toEqual([spaceId, both])
		expect(ok.records[1]).toEqual({
			id: both,
			name: 'Space',
			slug: expect.any(String),
			space_type: 'basic',
			space_group_id: groupId,
		})
		expect((await ofAda(ada)).ok.count).toBe(3)
		expect((await ofAda(community.owner)).ok.count).toBe(3)
		const gone = await community.member({ status: 'inactive' })
		const ofGone = { params: { memberId: String(gone.memberId) } }
		expect((await world.ask(spaces.listMemberSpaces, ofGone, ada)).ok).toEqual(envelope([]))
	})

	test('have topics, the most used first', async () => {
		const tag = (name: string) =>
			insert(world, 'tags', { community_id: community.id, name, slug: name.toLowerCase(), created_at: 1 })
		const [rare, often, never] = [await tag('Rare'), await tag('Often'), await tag('Never')]
		for (const [tagId, count] of [
			[rare, 1],
			[often, 5],
			[never, 0],
		] as const)
			await insert(world, 'space_topics', { space_id: spaceId, tag_id: tagId, posts_count: count })
		expect((await world.ask(spaces.listTopics, at(spaceId), ada)).ok).toEqual(
			envelope([
				{ id: often, name: 'Often', slug: 'often', posts_count: 5, space_id: spaceId },
				{ id: rare, name: 'Rare', slug: 'rare', posts_count: 1, space_id: spaceId },
			]),
		)
	})

	test('are open through groups only while these and their grants last', async () => {
		const open = async (id: number) => (await world.ask(spaces.getSpace, at(id), ada)).status
		const secret = await community.space({ visibility: 'secret' })
		expect(await open(secret)).toBe(404)
		await community.grant([ada.memberId], [secret], { status: 'archived' })
		expect(await open(secret)).toBe(404)
		await community.grant([ada.memberId], [secret], { expiresAt: world.now + 1_000 })
		expect(await open(secret)).toBe(200)
		world.pass(1_000)
		expect(await open(secret)).toBe(404)
	})

	test('have no links', async () => {
		expect((await world.ask(spaces.listCommunityLinks, {}, ada)).ok).toEqual(envelope([]))
	})
})

describe('members', () => {
	const profile = (memberId: number) =>
		world.ask(members.getPublicProfile, { params: { memberId: String(memberId) } }, ada)

	test('have a profile that counts their comments and the people who follow their posts', async () => {
		const { owner } = community
		const [one, two] = [await community.post(spaceId), await community.post(spaceId)]
		const now = world.now
		const comment = { community_id: community.id, post_id: one, body: 'c', created_at: now, updated_at: now }
		await insert(world, 'post_comments', { ...comment, author_id: owner.userId })
		await insert(world, 'post_comments', { ...comment, author_id: owner.userId, deleted_at: 1 })
		await insert(world, 'post_comments', { ...comment, author_id: owner.userId, community_id: 77 })
		for (const postId of [one, two])
			await world.ask(followers.followPost, { params: { postId: String(postId) } }, ada)
		expect((await profile(owner.memberId)).ok).toEqual({
			id: owner.memberId,
			user_id: owner.userId,
			name: expect.any(String),
			avatar_url: null,
			headline: null,
			bio: null,
			role: 'owner',
			created_at: expect.any(String),
			comments_count: 1,
			followers_count: 1,
			profile_fields: [],
		})
		for (const status of ['invited', 'inactive', 'banned'])
			expect((await profile((await community.member({ status })).memberId)).status, status).toBe(404)
	})

	test('are listed who joined first first, without those who are not active', async () => {
		await community.member({ status: 'banned' })
		const bo = await community.member()
		const page = (query: object) => world.ask(members.listMemberCards, { query }, ada)
		const { ok } = await page({})
		expect(ok.records.map(({ id }) => id)).toEqual([community.owner.memberId, ada.memberId, bo.memberId])
		expect(ok).toMatchObject({ page: 1, per_page: 20, has_next_page: false })
		expect(ok.records[1]).toEqual({
			id: ada.memberId,
			user_id: ada.userId,
			name: expect.any(String),
			avatar_url: 'https://example.org/ada.png',
			headline: null,
			bio: null,
			role: 'member',
			created_at: expect.any(String),
		})
		expect((await page({ per_page: '2' })).ok.has_next_page).toBe(true)
		expect((await page({ per_page: '2', page: '2' })).ok.records.map(({ id }) => id)).toEqual([bo.memberId])
	})

	test('change their profile, and leave unless they are needed', async () => {
		const change = (body: object) => world.ask(members.updateProfile, { body }, ada)
		expect((await change({ headline: 'Hi', bio: 'I film' })).ok).toMatchObject({
			headline: 'Hi',
			bio: 'I film',
			avatar_url: 'https://example.org/ada.png',
		})
		expect((await change({ bio: null })).ok).toMatchObject({ headline: 'Hi', bio: null })
		for (const body of [{}, { avatar_url: 'javascript:x' }, { bio: 7 }])
			expect((await change(body)).status, JSON.stringify(body)).toBe(400)
		expect((await world.ask(members.deactivateMember, {}, community.owner)).status).toBe(403)
		expect((await world.ask(members.deactivateMember, {}, ada)).ok).toEqual({ success: true })
		expect((await world.ask(members.deactivateMember, {}, ada)).status).toBe(403)
		expect((await profile(ada.memberId)).status).toBe(403)
	})

	test('see themselves with their community', async () => {
		const { ok } = await world.ask(members.getCurrentMember, {}, ada)
		expect(ok).toMatchObject({
			id: ada.memberId,
			user_id: ada.userId,
			email: ada.email,
			role: 'member',
			community: { id: community.id, name: 'The club', slug: 'club' },
		})
	})

	test('have the profile fields of the community', async () => {
		const field = { community_id: community.id, required: 0, options: '[]', created_at: 1 }
		await insert(world, 'profile_fields', { ...field, key: 'b', label: 'B', field_type: 'text', position: 2 })
		await insert(world, 'profile_fields', {
			...field,
			key: 'a',
			label: 'A',
			field_type: 'select',
			required: 1,
			options: '["x","y"]',
			position: 1,
		})
		const records = [
			{ id: 2, key: 'a', label: 'A', field_type: 'select', required: true, options: ['x', 'y'] },
			{ id: 1, key: 'b', label: 'B', field_type: 'text', required: false, options: [] },
		]
		for (const op of [members.listProfileFields, members.listPageProfileFields])
			expect((await world.ask(op, {}, ada)).ok).toEqual(envelope(records))
	})
})
