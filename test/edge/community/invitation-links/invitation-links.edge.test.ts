import { beforeEach, expect, test } from 'vitest'
import { suspendOrg } from '#schema/contract/accounts/suspension.ts'
import * as contract from '#schema/contract/community/manage/invitation-links.ts'
import { updateCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { joinByInvitationLink } from '../../../../edge/community/invitation-links/links.ts'
import type { Person as Caller } from '../../../../edge/http/caller.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community.ts'

let world: World
let root: Person
let community: Community
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	community = await openCommunity(world)
})

const at = (more: object = {}) => ({ params: { communityId: String(community.id), ...more } as never })
const create = (body: object = {}, who: Who = community.owner) =>
	world.ask(contract.createInvitationLink, { ...at(), body: { name: 'Newsletter', ...body } }, who)
const tokenOf = async (body: object = {}, who?: Who) => (await create(body, who)).ok.data.token
const join = (token: string, who: Who) => world.ask(contract.joinByInvitationLink, { body: { token } }, who)
const list = async () =>
	(await world.ask(contract.listInvitationLinks, { ...at(), query: {} }, community.owner)).ok.data

test('a person joins with a link, gets its role and access groups, and joins once', async () => {
	const group = await community.grant([], [])
	const token = await tokenOf({ role: 'moderator', accessGroupIds: [group], maxUses: 5 })
	const bo = await world.person()
	const joined = (await join(token, bo)).ok.data
	expect(joined).toMatchObject({ id: community.id, slug: 'club' })
	const me = await world.ask(getCurrentMember, {}, { ...bo, headers: community.headers })
	expect(me.ok).toMatchObject({ community_member_id: joined.memberId, role: 'moderator' })
	expect(
		await select(world, 'select access_group_id as g, membership_id as m from access_group_members'),
	).toEqual([{ g: group, m: joined.memberId }])
	expect((await join(token, bo)).ok.data).toEqual(joined)
	expect(await list()).toMatchObject([{ name: 'Newsletter', role: 'moderator', uses: 1, maxUses: 5 }])
	const rows = await select(
		world,
		`select type from outbox where type = 'member.joined' and resource = 'member:${joined.memberId}'`,
	)
	expect(rows).toHaveLength(1)
})

test('200 people at once use a link with 100 uses up exactly', async () => {
	const token = await tokenOf({ maxUses: 100 })
	const people = await select<{ id: number }>(
		world,
		`insert into users (email, name, email_verified_at, created_at, updated_at) select 'p' || value || '@example.org', 'P', 1, 1, 1 from generate_ids returning id`.replace(
			'generate_ids',
			`json_each('${JSON.stringify(Array.from({ length: 200 }, (_, i) => i))}')`,
		),
	)
	const answers = await Promise.allSettled(
		people.map(({ id: userId }) =>
			world.deps((deps) => joinByInvitationLink(deps, { userId, emailVerified: true } as Caller, token)),
		),
	)
	expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(100)
	expect(await select(world, "select count(*) as n from memberships where role = 'member'")).toEqual([
		{ n: 100 },
	])
	expect((await list())[0]?.uses).toBe(100)
})

test('a link that is revoked, expired, used up or of a maker without power lets nobody in', async () => {
	const bo = await world.person()
	const used = await tokenOf({ maxUses: 1 })
	await join(used, await world.person())
	const expiring = await tokenOf({ expiresAt: new Date(world.now + 60_000).toISOString() })
	const { token: revoked, id: linkId } = (await create()).ok.data
	const other = await openCommunity(world, 'other')
	const revoke = (who: Who) => world.ask(contract.revokeInvitationLink, at({ linkId: String(linkId) }), who)
	expect((await revoke(other.owner)).status).toBe(404)
	expect((await revoke(community.owner)).status).toBe(200)
	expect((await revoke(community.owner)).status).toBe(404)
	world.pass(120_000)
	for (const token of [used, expiring, revoked, 'l.unknown']) expect((await join(token, bo)).status).toBe(404)
	const open = await tokenOf({}, { key: await community.key(['admin']) })
	await world.ask(suspendOrg, { params: { orgId: community.orgId }, body: { reason: 'abuse' } }, root)
	expect((await join(open, bo)).status).toBe(404)
	await select(world, 'update orgs set suspended_at = null returning 1')
	await select(
		world,
		`update org_members set role = 'member' where user_id = ${community.owner.userId} returning 1`,
	)
	expect((await join(open, bo)).status).toBe(404)
	expect(await select(world, `select id from memberships where user_id = ${bo.userId}`)).toEqual([])
})

test('a banned person stays out, and a former member gets the link’s role and groups only', async () => {
	const former = await community.member({ role: 'moderator' })
	await community.grant([former.memberId], [])
	const token = await tokenOf()
	const set = (status: 'banned' | 'inactive') =>
		world.ask(
			updateCommunityMember,
			{ ...at({ memberId: String(former.memberId) }), body: { status } } as never,
			community.owner,
		)
	await set('banned')
	expect((await join(token, former)).status).toBe(404)
	await set('inactive')
	expect((await join(token, former)).ok.data.memberId).toBe(former.memberId)
	expect(await select(world, `select role, status from memberships where id = ${former.memberId}`)).toEqual([
		{ role: 'member', status: 'active' },
	])
	expect(await select(world, 'select 1 from access_group_members')).toEqual([])
})

test('an unverified person, a key and a member token can’t join, and a key makes links for members alone', async () => {
	const token = await tokenOf()
	const bo = await world.person()
	await select(world, `update users set email_verified_at = null where id = ${bo.userId} returning 1`)
	expect(await join(token, bo)).toMatchObject({ status: 403, code: 'email_unverified' })
	const key = await community.key(['admin', 'headless:auth'])
	expect((await join(token, { key })).status).toBe(401)
	expect((await create({ role: 'moderator', maxUses: 1 }, { key })).status).toBe(403)
	expect((await create({ role: 'owner' })).status).toBe(400)
	expect((await create({}, { key: await community.key(['members:write']) })).status).toBe(403)
	const other = await openCommunity(world, 'other')
	expect((await create({ accessGroupIds: [await other.grant([], [])] })).status).toBe(404)
	expect((await create({}, other.owner)).status).toBe(404)
	expect(JSON.stringify(await select(world, 'select * from invitation_links'))).not.toContain(token)
})

test.each(['moderator', 'admin'])(
	'a link that makes a person a %s has a number of uses or an expiry',
	async (role) => {
		const refused = await create({ role })
		expect([refused.status, refused.error]).toEqual([400, expect.stringMatching(/^maxUses: must be set/)])
		expect((await create({ role, maxUses: 1 })).status).toBe(201)
		expect((await create({ role, expiresAt: new Date(world.now + 60_000).toISOString() })).status).toBe(201)
		expect((await create({ role: 'member' })).status).toBe(201)
	},
)
