import { beforeEach, describe, expect, test } from 'vitest'
import * as followers from '#schema/contract/community/member/followers.ts'
import * as members from '#schema/contract/community/member/members.ts'
import * as spaces from '#schema/contract/community/member/spaces.ts'
import type { World } from '../../../support/edge/world.ts'
import { type Community, envelope, insert, openHeadless } from '../community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let spaceId: number
beforeEach(async () => {
	;({ world, community, ada, spaceId } = await openHeadless())
})

describe('spaces', () => {
	const at = (id: number) => ({ params: { spaceId: String(id) } })

	test('lists, shows, joins and leaves spaces', { tags: 'd1' }, async () => {
		const record = {
			id: spaceId,
			name: 'General',
			slug: 'general',
			space_type: 'basic',
			space_group_id: null,
			emoji: null,
			description: '',
			visibility: 'public',
			posts_count: 0,
			unread_posts_count: 0,
			policies: { can_create_post: true, can_create_event: false, can_create_comment: true },
		}
		expect((await world.ask(spaces.listSpaces, {}, ada)).ok).toEqual(envelope([record]))
		expect((await world.ask(spaces.getSpace, at(spaceId), ada)).ok).toEqual(record)
		const before = await world.dump()
		for (const op of [spaces.joinSpace, spaces.leaveSpace])
			expect((await world.ask(op, at(spaceId), ada)).ok).toEqual({ success: true })
		expect(await world.dump()).toEqual(before)
	})

	test('lists the spaces that both the member and the caller see', async () => {
		const groupId = await insert(world, 'space_groups', {
			community_id: community.id,
			name: 'G',
			slug: 'g',
			created_at: 1,
		})
		const both = await community.space({ visibility: 'private', space_group_id: groupId, position: 1 })
		const adasSpace = await community.space({ visibility: 'secret', position: 2 })
		const bo = await community.member()
		await community.grant([ada.memberId, bo.memberId], [both])
		await community.grant([ada.memberId], [adasSpace])
		const ofAda = (who: typeof ada) =>
			world.ask(spaces.listMemberSpaces, { params: { memberId: String(ada.memberId) } }, who)
		const { ok } = await ofAda(bo)
		expect(ok.records.map(({ id }) => id)).toEqual([spaceId, both])
		expect(ok.records[1]).toMatchObject({
			id: both,
			name: 'Space',
			slug: expect.any(String),
			space_type: 'basic',
			space_group_id: groupId,
		})
		expect((await ofAda(ada)).ok.count).toBe(3)
		expect((await ofAda(community.owner)).ok.count).toBe(3)
		const formerMember = await community.member({ status: 'inactive' })
		const ofFormerMember = { params: { memberId: String(formerMember.memberId) } }
		expect((await world.ask(spaces.listMemberSpaces, ofFormerMember, ada)).ok).toEqual(envelope([]))
	})

	test('lists the topics of a space, most used first', async () => {
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

	test('shows space groups that contain a visible space', async () => {
		const group = (name: string, position: number) =>
			insert(world, 'space_groups', { community_id: community.id, name, slug: name, position, created_at: 1 })
		const [last, first, closed] = [await group('last', 2), await group('first', 1), await group('closed', 0)]
		await group('empty', 3)
		for (const space_group_id of [last, first]) await community.space({ space_group_id })
		await community.space({ space_group_id: closed, visibility: 'secret' })
		const names = async (who: typeof ada) =>
			(await world.ask(spaces.listMemberSpaceGroups, {}, who)).ok.records.map(({ name }) => name)
		expect(await names(ada)).toEqual(['first', 'last'])
		expect(await names(community.owner)).toEqual(['closed', 'first', 'last'])
		const one = (id: number, who: typeof ada = ada) =>
			world.ask(spaces.getMemberSpaceGroup, { params: { spaceGroupId: String(id) } }, who)
		const listed = (await world.ask(spaces.listSpaces, {}, ada)).ok.records
		const groupIds = listed.flatMap(({ space_group_id }) => space_group_id ?? [])
		expect(groupIds.toSorted()).toEqual([last, first].toSorted())
		for (const id of groupIds) expect((await one(id)).ok.id).toBe(id)
		expect((await one(first)).ok).toEqual({ id: first, name: 'first', slug: 'first' })
		expect((await one(closed)).status).toBe(404)
		expect((await one(closed, community.owner)).status).toBe(200)
		expect((await one(99)).status).toBe(404)
	})

	test('lists all topics of the community, including unused ones', async () => {
		const tag = (slug: string) =>
			insert(world, 'tags', { community_id: community.id, name: slug, slug, created_at: 1 })
		const [unused, used, secret] = [await tag('unused'), await tag('used'), await tag('secret')]
		await insert(world, 'tags', { community_id: 99, name: 'x', slug: 'x', created_at: 1 })
		const hidden = await community.space({ visibility: 'secret' })
		const second = await community.space()
		for (const [space_id, tag_id, posts_count] of [
			[spaceId, used, 2],
			[second, used, 1],
			[hidden, used, 4],
			[hidden, secret, 9],
		] as const)
			await insert(world, 'space_topics', { space_id, tag_id, posts_count })
		const topic = (id: number, slug: string, posts_count: number) => ({ id, name: slug, slug, posts_count })
		const list = async (who: typeof ada) => (await world.ask(spaces.listAllTopics, {}, who)).ok
		expect(await list(ada)).toEqual(
			envelope([topic(used, 'used', 3), topic(unused, 'unused', 0), topic(secret, 'secret', 0)]),
		)
		expect((await list(community.owner)).records.map((one) => one.posts_count)).toEqual([9, 7, 0])
	})

	test('opens a space through an access group only while group and grant are active', {
		tags: 'd1',
	}, async () => {
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

	test('returns an empty list of community links', async () => {
		expect((await world.ask(spaces.listCommunityLinks, {}, ada)).ok).toEqual(envelope([]))
	})
})

describe('members', () => {
	const profile = (memberId: number) =>
		world.ask(members.getPublicProfile, { params: { memberId: String(memberId) } }, ada)

	test('counts comments and followers in a profile', async () => {
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
			community_member_id: owner.memberId,
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

	test('lists active members, oldest first', async () => {
		await community.member({ status: 'banned' })
		const bo = await community.member()
		const page = (query: object) => world.ask(members.listMemberCards, { query }, ada)
		const { ok } = await page({})
		expect(ok.records.map(({ id }) => id)).toEqual([community.owner.memberId, ada.memberId, bo.memberId])
		expect(ok).toMatchObject({ page: 1, per_page: 20, has_next_page: false })
		expect(ok.records[1]).toEqual({
			id: ada.memberId,
			community_member_id: ada.memberId,
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

	test('updates the profile of a member, and lets only plain members and moderators leave', async () => {
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

	test('returns the current member with the community', async () => {
		const { ok } = await world.ask(members.getCurrentMember, {}, ada)
		expect(ok).toMatchObject({
			id: ada.memberId,
			community_member_id: ada.memberId,
			user_id: ada.userId,
			email: ada.email,
			role: 'member',
			community: { id: community.id, name: 'The club', slug: 'club' },
		})
	})

	test('lists the profile fields of the community', async () => {
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
