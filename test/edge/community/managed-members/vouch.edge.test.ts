import { beforeEach, describe, expect, test } from 'vitest'
import { createAccessGroup } from '#schema/contract/community/manage/access-groups.ts'
import { addCommunityMembers } from '#schema/contract/community/manage/managed-members.ts'
import * as contract from '#schema/contract/community/manage/memberships.ts'
import { createProfileField } from '#schema/contract/community/manage/profile-fields.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { openWorld, type Who, type World } from '../../../support/edge/world.ts'
import { type Community, memberTokens, openCommunity, select } from '../community.ts'

let world: World
let community: Community
let server: Who
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	server = { key: await community.key(['members:write']) }
})

const at = (memberId?: number) => ({
	params: { communityId: String(community.id), ...(memberId && { memberId: String(memberId) }) } as never,
})
const vouch = (body: object, who: Who = server) =>
	world.ask(contract.addCommunityMember, { ...at(), body: { status: 'active', ...body } as never }, who)
const memberOf = async (body: object, who?: Who) =>
	(await vouch(body, who)).ok.data as contract.CommunityMember
const batchOf = (members: object[], who: Who = server) =>
	world.ask(addCommunityMembers, { ...at(), body: { members: members as never } }, who)
const count = async (table: string) =>
	Number((await select<{ n: number }>(world, `select count(*) as n from ${table}`))[0]?.n)

describe('vouching for a person', () => {
	test('a vouched person is a member at once, without an account and without a mail', async () => {
		const answer = await vouch({
			ssoUserId: 'u-1',
			name: 'Ada',
			email: 'Ada@Example.org',
			headline: 'Founder',
			avatarUrl: 'https://example.org/a.png',
		})
		expect(answer.status).toBe(201)
		expect(answer.ok.data).toMatchObject({
			ssoUserId: 'u-1',
			name: 'Ada',
			email: 'ada@example.org',
			managed: true,
			role: 'member',
			status: 'active',
			headline: 'Founder',
			bio: null,
		})
		const [user] = await select(
			world,
			'select email, email_verified_at, password_hash, is_superadmin, length(managed_key) as key from users where managed_key is not null',
		)
		expect(user).toEqual({
			email: null,
			email_verified_at: null,
			password_hash: null,
			is_superadmin: 0,
			key: 22,
		})
		expect(world.messages.filter(({ type }) => type === 'mail.send')).toEqual([])
		const { memberId } = answer.ok.data as contract.CommunityMember
		const tokens = await memberTokens(world, await community.key(), memberId)
		const me = await world.ask(getCurrentMember, {}, { token: tokens.access_token })
		expect(me.ok).toMatchObject({ name: 'Ada', email: 'ada@example.org', community_member_id: memberId })
	})

	test('vouching again changes only the sent fields, and repeating it changes nothing', async () => {
		const first = await memberOf({ ssoUserId: 'u-1', name: 'Ada', bio: 'Counts', email: 'a@example.org' })
		world.pass(1_000)
		const again = await vouch({ ssoUserId: 'u-1', name: 'Ada L.', headline: 'Hi', email: null })
		expect(again.status).toBe(200)
		expect(again.ok.data).toMatchObject({
			id: first.id,
			userId: first.userId,
			name: 'Ada L.',
			headline: 'Hi',
			bio: 'Counts',
			email: null,
		})
		const before = await select(world, 'select * from memberships order by id')
		world.pass(1_000)
		expect((await vouch({ ssoUserId: 'u-1', name: 'Ada L.', headline: 'Hi' })).status).toBe(200)
		expect(await select(world, 'select * from memberships order by id')).toEqual(before)
		expect(await count('users where managed_key is not null')).toBe(1)
	})

	test('vouching stores profile values and adds access groups of the community', async () => {
		const fields = { ...at(), body: { key: 'team', label: 'Team' } as never }
		await world.ask(createProfileField, fields, community.owner)
		const group = async () =>
			(await world.ask(createAccessGroup, { ...at(), body: { name: 'G' } }, community.owner)).ok.data.id
		const [one, two] = [await group(), await group()]
		const body = { ssoUserId: 'u-1', name: 'Ada', profileFields: { team: 'Red' }, accessGroupIds: [one] }
		const { id } = await memberOf(body)
		await vouch({ ssoUserId: 'u-1', accessGroupIds: [two, one] })
		expect(
			await select(world, 'select access_group_id as g, membership_id as m from access_group_members'),
		).toEqual([
			{ g: one, m: id },
			{ g: two, m: id },
		])
		expect(await select(world, `select profile from memberships where id = ${id}`)).toEqual([
			{ profile: '{"1":"Red"}' },
		])
		expect(await vouch({ ssoUserId: 'u-2', name: 'B', profileFields: { tem: 'x' } })).toMatchObject({
			status: 400,
			error: 'profile_fields.tem: the community has no such field',
		})
		const foreign = await openCommunity(world, 'other')
		const theirs = await foreign.grant([], [])
		expect((await vouch({ ssoUserId: 'u-2', name: 'B', accessGroupIds: [theirs] })).status).toBe(404)
		expect(await count('users where managed_key is not null')).toBe(1)
	})

	test('vouching records member.joined and an audit entry, also when an inactive member returns', async () => {
		const { id } = await memberOf({ ssoUserId: 'u-1', name: 'Ada' })
		const joined = () => count(`outbox where type = 'member.joined' and resource = 'member:${id}'`)
		expect(await joined()).toBe(1)
		await world.ask(contract.updateCommunityMember, { ...at(id), body: { status: 'inactive' } }, server)
		expect(await memberOf({ ssoUserId: 'u-1' })).toMatchObject({ id, status: 'active' })
		await vouch({ ssoUserId: 'u-1', headline: 'Back' })
		await vouch({ ssoUserId: 'u-1', email: 'ada@new.example' })
		await vouch({ ssoUserId: 'u-1', email: 'ada@new.example' })
		expect(await joined()).toBe(2)
		const entries = await select<{ details: string }>(
			world,
			"select details, target_id, target_email from audit_log where action = 'community_member.vouched' order by id",
		)
		expect(entries.map(({ details }) => JSON.parse(details))).toEqual([
			{ communityId: community.id, created: 1, updated: 0, addressesChanged: 0, refused: 0 },
			{ communityId: community.id, created: 0, updated: 1, addressesChanged: 0, refused: 0 },
			{ communityId: community.id, created: 0, updated: 1, addressesChanged: 0, refused: 0 },
			{ communityId: community.id, created: 0, updated: 1, addressesChanged: 1, refused: 0 },
			{ communityId: community.id, created: 0, updated: 1, addressesChanged: 0, refused: 0 },
		])
		expect(entries[0]).toMatchObject({ target_id: String(id), target_email: null })
	})

	test('vouching does not unban a member', async () => {
		const { id } = await memberOf({ ssoUserId: 'u-1', name: 'Ada' })
		await world.ask(contract.updateCommunityMember, { ...at(id), body: { status: 'banned' } }, server)
		expect(await vouch({ ssoUserId: 'u-1', name: 'Eve' })).toMatchObject({
			status: 409,
			error: 'this member is banned; unban them with PATCH first',
		})
		expect((await batchOf([{ ssoUserId: 'u-1' }])).ok.data).toMatchObject([
			{ status: 'refused', memberId: id },
		])
		expect(await select(world, `select status from memberships where id = ${id}`)).toEqual([
			{ status: 'banned' },
		])
	})

	test('vouching for a member with an account changes their profile, never the name or address', async () => {
		const bo = await community.member({ sso_user_id: 'bo' })
		const update = await vouch({ ssoUserId: 'bo', headline: 'Boss', email: bo.email })
		expect(update).toMatchObject({ status: 200, ok: { data: { headline: 'Boss', managed: false } } })
		expect(await vouch({ ssoUserId: 'bo', name: 'Other' })).toMatchObject({
			status: 409,
			error: 'name: this member has an account, which alone decides the name',
		})
		for (const email of ['other@example.org', null])
			expect(await vouch({ ssoUserId: 'bo', email })).toMatchObject({
				status: 409,
				error: 'email: this member has an account, which alone decides the address',
			})
		expect(await select(world, 'select email from memberships where email is not null')).toEqual([])
	})

	test('a key vouches only for plain members, and a person may give another role to a new member', async () => {
		expect((await vouch({ ssoUserId: 'a', name: 'A', role: 'moderator' })).status).toBe(403)
		const body = { ssoUserId: 'a', name: 'A', role: 'moderator' }
		expect(await memberOf(body, community.owner)).toMatchObject({ role: 'moderator' })
		expect((await vouch({ ssoUserId: 'a', role: 'admin' }, community.owner)).status).toBe(409)
		await select(world, "update memberships set status = 'inactive' where sso_user_id = 'a' returning 1")
		expect((await vouch({ ssoUserId: 'a' })).status).toBe(403)
		expect((await vouch({ ssoUserId: 'a' }, community.owner)).status).toBe(200)
	})

	test.each([
		[{ name: 'A' }, 'ssoUserId: is required with status active'],
		[{ ssoUserId: 'x' }, 'name: is required for a new member'],
		[{ status: undefined, email: 'a@x.org', name: 'A' }, 'name: needs status active'],
		[{ status: undefined }, 'email: is required without status active'],
	])('vouching refuses %j', async (body, error) => {
		expect(await vouch(body)).toMatchObject({ status: 400, error })
	})

	test('two calls at once for the same person make one member', async () => {
		const answers = await Promise.all([1, 2, 3, 4].map(() => vouch({ ssoUserId: 'u', name: 'Ada' })))
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
		expect(await count('users where managed_key is not null')).toBe(1)
		expect(await count("memberships where sso_user_id = 'u'")).toBe(1)
	})
})

describe('vouching for many people', () => {
	test('a batch creates, updates and refuses in order, and repeating it changes nothing', async () => {
		const banned = await memberOf({ ssoUserId: 'bad', name: 'Bad' })
		await world.ask(contract.updateCommunityMember, { ...at(banned.id), body: { status: 'banned' } }, server)
		const ada = await memberOf({ ssoUserId: 'ada', name: 'Ada' })
		const members = [
			{ ssoUserId: 'bo', name: 'Bo', email: 'bo@example.org' },
			{ ssoUserId: 'bad', name: 'Worse' },
			{ ssoUserId: 'ada', name: 'Ada L.' },
			{ ssoUserId: 'nobody' },
			{ ssoUserId: 'cy', name: 'Cy' },
		]
		const { data } = (await batchOf(members)).ok
		expect(data).toEqual([
			{ ssoUserId: 'bo', memberId: expect.any(Number), status: 'created' },
			{ ssoUserId: 'bad', memberId: banned.id, status: 'refused', error: expect.stringContaining('banned') },
			{ ssoUserId: 'ada', memberId: ada.id, status: 'updated' },
			{ ssoUserId: 'nobody', memberId: null, status: 'refused', error: expect.stringContaining('name') },
			{ ssoUserId: 'cy', memberId: expect.any(Number), status: 'created' },
		])
		const rows = () => select(world, 'select * from memberships order by id')
		const before = await rows()
		world.pass(1_000)
		const again = (await batchOf(members)).ok.data
		expect(again.map(({ status }) => status)).toEqual(['updated', 'refused', 'updated', 'refused', 'updated'])
		expect(again.map(({ memberId }) => memberId)).toEqual(data.map(({ memberId }) => memberId))
		expect(await rows()).toEqual(before)
		expect(await count("outbox where type = 'member.joined'")).toBe(4)
		const [entry] = await select<{ details: string }>(
			world,
			"select details from audit_log where action = 'community_member.vouched' and target_kind = 'community' limit 1",
		)
		expect(JSON.parse(entry?.details ?? '')).toEqual({
			communityId: community.id,
			created: 2,
			updated: 1,
			addressesChanged: 0,
			refused: 2,
		})
	})

	test('a batch with the same ssoUserId twice is refused as a whole', async () => {
		const members = [
			{ ssoUserId: 'a', name: 'A' },
			{ ssoUserId: 'a', name: 'B' },
		]
		expect(await batchOf(members)).toMatchObject({
			status: 400,
			error: 'members: must not contain the same ssoUserId twice',
		})
		expect(await count('users where managed_key is not null')).toBe(0)
	})

	test('a batch runs as many statements for 200 members as for one, and members are found by words and address', async () => {
		const people = (n: number, from: string) =>
			Array.from({ length: n }, (_, i) => ({
				ssoUserId: `${from}${i}`,
				name: `Name ${from}${i}`,
				email: `${from}${i}@example.org`,
			}))
		const statementsOf = async (members: object[]) => {
			expect((await batchOf(members)).status).toBe(200)
			return world.statements.length
		}
		await batchOf(people(1, 'z'))
		expect(await statementsOf(people(200, 'b'))).toBe(await statementsOf(people(1, 'a')))
		const { ok } = await world.ask(
			contract.listCommunityMembers,
			{ ...at(), query: { email: 'b7@example.org' } },
			server,
		)
		expect(ok.data.map(({ ssoUserId }) => ssoUserId)).toEqual(['b7'])
		world.pass(60_000)
		await world.cron('* * * * *')
		await world.deliver()
		const found = await world.ask(contract.listCommunityMembers, { ...at(), query: { q: 'b77' } }, server)
		expect(found.ok.data.map(({ ssoUserId }) => ssoUserId)).toEqual(['b77'])
	})

	test('no statement of a batch reads the other members of the community', async () => {
		await batchOf([{ ssoUserId: 'a', name: 'A', avatarUrl: 'https://example.org/a.png' }])
		const plans = await Promise.all(world.statements.map((sql) => world.plan(sql)))
		const scans = plans
			.flat()
			.filter((line) => /^SCAN (m|u|memberships|users)\b|memberships_joined|managed_key>/.test(line))
		expect(plans.length).toBeGreaterThan(8)
		expect(scans).toEqual([])
	})

	test('10,000 people become members in ten calls, without a mail', { tags: 'd1' }, async () => {
		world.messages.splice(0)
		for (let call = 0; call < 10; call++) {
			const members = Array.from({ length: 1_000 }, (_, i) => ({
				ssoUserId: `u${call}-${i}`,
				name: `N ${i}`,
			}))
			const { data } = (await batchOf(members)).ok
			expect(data.filter(({ status }) => status === 'created')).toHaveLength(1_000)
		}
		expect(await count("memberships where status = 'active'")).toBe(10_001)
		expect(await count('outbox where sequence is not null')).toBe(10_000)
		expect(world.messages).toEqual([])
	})

	test('a long batch is stored in several transactions, with the results in order', async () => {
		const members = Array.from({ length: 400 }, (_, i) => ({
			ssoUserId: `u${i}`,
			name: `N${i}`,
			bio: 'x'.repeat(2_000),
		}))
		const { data } = (await batchOf(members)).ok
		expect(data.map(({ ssoUserId }) => ssoUserId)).toEqual(members.map(({ ssoUserId }) => ssoUserId))
		expect(data.every(({ status }) => status === 'created')).toBe(true)
		expect(await count('users where managed_key is not null')).toBe(400)
	})
})
