import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { acceptInvitation, inviteMember } from '#schema/contract/accounts/org-members.ts'
import * as access from '#schema/contract/community/manage/access-groups.ts'
import * as communities from '#schema/contract/community/manage/communities.ts'
import { createIdentityProvider } from '#schema/contract/community/manage/identity-providers.ts'
import * as invitations from '#schema/contract/community/manage/invitations.ts'
import * as memberships from '#schema/contract/community/manage/memberships.ts'
import * as fields from '#schema/contract/community/manage/profile-fields.ts'
import * as managedSpaces from '#schema/contract/community/manage/spaces.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { createMemberToken } from '#schema/contract/community/member/tokens.ts'
import { allOperations } from '#schema/contract/index.ts'
import { knownFields } from '../../support/edge/known-fields.ts'
import { invitationTokenIn } from '../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'
import { createSpaceIn, inviteAndAccept, memberTokens, select } from './community.ts'

let world: World
let ada: Person
let id: string
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	id = String((await create({ name: 'Film club', slug: 'films' })).ok.data.id)
})

const create = (body: object, who: { token?: string; key?: string } = ada) =>
	world.ask(communities.createCommunity, { body: body as never }, who)
const key = async (scopes: ('read' | 'write' | 'admin' | 'headless:auth')[]) =>
	(await world.ask(createApiKey, { params: { orgId: ada.orgId }, body: { name: 'k', scopes } }, ada)).ok.data
		.key
const add = (body: object, who: { token?: string; key?: string } = ada) =>
	world.ask(memberships.addCommunityMember, { params: { communityId: id }, body: body as never }, who)
const accept = (token: string, who: Person) =>
	world.ask(invitations.acceptCommunityInvitation, { body: { token } }, who)
const addMember = (who: Person) => inviteAndAccept(world, { id, owner: ada }, who)
const space = (body: object) => createSpaceIn(world, { id, owner: ada }, body)

describe('communities', () => {
	test('creates a community with its creator as owner, lists and renames it, and keeps slugs unique', async () => {
		const { status, ok } = await create({ name: ' Two ', slug: 'two', customDomain: 'Two.Example.org' })
		expect(status).toBe(201)
		expect(ok.data).toEqual({
			id: 2,
			orgId: ada.orgId,
			name: 'Two',
			slug: 'two',
			customDomain: 'two.example.org',
			reactions: [],
			createdAt: expect.any(String),
			updatedAt: expect.any(String),
		})
		expect((await create({ name: 'X', slug: 'two' })).status).toBe(409)
		for (const body of [
			{},
			{ name: 'X' },
			{ name: 'X\r\nY', slug: 'x' },
			{ name: '', slug: 'x' },
			{ name: 'X', slug: 'A' },
		])
			expect((await create(body)).status, JSON.stringify(body)).toBe(400)
		const list = await world.ask(communities.listCommunities, { query: {} }, ada)
		expect(list.ok.data.map(({ slug }) => slug)).toEqual(['films', 'two'])
		const change = (body: object) =>
			world.ask(communities.updateCommunity, { params: { communityId: '2' }, body }, ada)
		expect((await change({ name: 'Deux', customDomain: null })).ok.data).toMatchObject({
			name: 'Deux',
			slug: 'two',
			customDomain: null,
		})
		expect((await change({ slug: 'films' })).status).toBe(409)
		expect((await change({})).status).toBe(400)
		const me = await world.ask(getCurrentMember, {}, { ...ada, headers: { 'x-community-slug': 'two' } })
		expect(me.ok).toMatchObject({ role: 'owner', community: { id: 2, name: 'Deux' } })
	})

	test('creates a community without an owner for an API key', async () => {
		const created = await create({ name: 'K', slug: 'k' }, { key: await key(['admin']) })
		expect(created.status).toBe(201)
		const rows = await select(world, `select id from memberships where community_id = ${created.ok.data.id}`)
		expect(rows).toEqual([])
	})

	test('records an event for each change of communities and members', async () => {
		await addMember(await world.person())
		const domainEvents = await select<{ type: string; org_id: string; payload: string }>(
			world,
			"select type, org_id, payload from outbox where type like 'community.%' or type like 'member.%' order by rowid",
		)
		expect(domainEvents.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) }))).toEqual([
			{ type: 'community.created', org_id: ada.orgId, payload: { communityId: 1 } },
			{ type: 'member.joined', org_id: ada.orgId, payload: { communityId: 1, memberId: 1 } },
			{
				type: 'member.invited',
				org_id: ada.orgId,
				payload: { communityId: 1, invitationId: 1 },
			},
			{ type: 'member.joined', org_id: ada.orgId, payload: { communityId: 1, memberId: 2 } },
		])
	})

	test('deletes a community immediately and removes its rows later, even if a message is lost', async () => {
		await space({ name: 'S', slug: 's' })
		await addMember(await world.person())
		const other = (await create({ name: 'Other', slug: 'other' })).ok.data.id
		await world.bindings.VAULT.put(`communities/${id}/images/a.png`, 'x')
		await world.bindings.VAULT.put(`communities/${other}/images/b.png`, 'x')
		const at = { params: { communityId: id } }
		const member = { ...ada, headers: { 'x-community-id': id } }
		expect((await world.ask(getCurrentMember, {}, member)).status).toBe(200)
		const { ok } = await world.ask(communities.deleteCommunity, at, ada)
		expect(ok.data).toEqual({ id: Number(id), deleted: true })
		expect((await world.ask(communities.deleteCommunity, at, ada)).status).toBe(404)
		expect((await world.ask(getCurrentMember, {}, member)).status).toBe(404)
		expect((await create({ name: 'Again', slug: 'films' })).status).toBe(201)
		// The message is lost. The sweep sends it again; a repeated message finds nothing to delete.
		world.messages.length = 0
		await world.cron('*/10 * * * *')
		const due = world.messages.filter(({ type }) => type === 'community.remove')
		expect(due).toEqual([{ type: 'community.remove', communityId: Number(id) }])
		await world.deliver([...due, ...due])
		const remaining = await select<{ table: string }>(
			world,
			`select 'spaces' as "table" from spaces where community_id = ${id} union all select 'memberships' from memberships where community_id = ${id} union all select 'removals' from community_removals`,
		)
		expect(remaining).toEqual([])
		await world.deliver()
		const { objects } = await world.bindings.VAULT.list({ prefix: 'communities/' })
		expect(objects.map(({ key }) => key)).toEqual([`communities/${other}/images/b.png`])
		const domainEvents = await select(world, "select payload from outbox where type = 'community.deleted'")
		expect(domainEvents).toHaveLength(1)
	})

	test('requires the right role in the organization to manage communities', async () => {
		const params = { orgId: ada.orgId }
		const member = await world.person()
		await world.ask(inviteMember, { params, body: { email: member.email } }, ada)
		await world.ask(acceptInvitation, { body: { token: await invitationTokenIn(world) } }, member)
		const token = await world.logIn(member)
		const switched = await world.fetch(
			new Request('https://edge.test/v1/auth/switch-org', {
				method: 'POST',
				headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
				body: JSON.stringify({ orgId: ada.orgId }),
			}),
		)
		const body = (await switched.json()) as { data: { token: string } }
		const who = { token: body.data.token }
		const at = { params: { communityId: id } }
		expect((await world.ask(communities.getCommunity, at, who)).status).toBe(200)
		expect((await add({ email: 'x@example.org' }, who)).status).toBe(403)
		const group = { ...at, body: { name: 'G', slug: 'g' } }
		expect((await world.ask(managedSpaces.createSpaceGroup, group, who)).status).toBe(201)
		expect((await add({ email: 'x@example.org' }, { key: await key(['write']) })).status).toBe(403)
		expect((await add({ email: 'x@example.org' }, { key: await key(['headless:auth']) })).status).toBe(403)
		expect((await add({ email: 'x@example.org' }, { key: await key(['admin']) })).status).toBe(201)
	})
})

test('rejects every management request of another organization', async () => {
	const outsider = await world.person()
	const { id: spaceId } = await space({ name: 'S', slug: 's', visibility: 'private' })
	const group = await world.ask(
		access.createAccessGroup,
		{ params: { communityId: id }, body: { name: 'G' } },
		ada,
	)
	const spaceGroup = await world.ask(
		managedSpaces.createSpaceGroup,
		{ params: { communityId: id }, body: { name: 'G', slug: 'g' } },
		ada,
	)
	const field = await world.ask(
		fields.createProfileField,
		{ params: { communityId: id }, body: { key: 'k', label: 'L' } },
		ada,
	)
	const invitation = await world.ask(
		invitations.inviteToCommunity,
		{ params: { communityId: id }, body: { email: 'guest@example.org' } },
		ada,
	)
	const identity = { label: 'L', issuer: 'https://id.example.org', clientId: 'c', clientSecret: 's' }
	const provider = await world.ask(
		createIdentityProvider,
		{ params: { communityId: id }, body: identity },
		ada,
	)
	const ids: Record<string, number | string> = {
		communityId: id,
		memberId: 1,
		spaceId,
		accessGroupId: group.ok.data.id,
		spaceGroupId: spaceGroup.ok.data.id,
		fieldId: field.ok.data.id,
		invitationId: invitation.ok.data.id,
		providerId: provider.ok.data.id,
	}
	const body = {
		...identity,
		name: 'Taken over',
		slug: 'taken',
		label: 'Taken',
		key: 'taken',
		email: 'taken@example.org',
		role: 'owner',
		memberId: Number(ids.memberId),
		points: 1,
		reason: 'Taken',
		status: 'active',
		ssoUserId: 'taken',
		members: [{ ssoUserId: 'taken', name: 'Taken' }],
		memberIds: [1],
		accessGroupIds: [],
		origins: ['https://taken.example.org'],
	}
	const invite = { params: { communityId: id }, body: { email: 'taken@example.org' } }
	const before = await world.dump()
	const operations = allOperations.filter(({ path }) => path.startsWith('/v1/communities/{communityId}'))
	expect(operations.length).toBeGreaterThan(25)
	for (const op of operations) {
		const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name) => String(ids[name]))
		const response = await world.fetch(
			new Request(`https://edge.test${path}`, {
				method: op.method.toUpperCase(),
				headers: { authorization: `Bearer ${outsider.token}`, 'content-type': 'application/json' },
				...(op.method !== 'get' && {
					body: JSON.stringify(
						knownFields(op, op.id === 'createInvitationLink' ? { ...body, role: 'admin', maxUses: 1 } : body),
					),
				}),
			}),
		)
		expect(response.status, op.id).toBe(404)
	}
	expect((await world.ask(memberships.addCommunityMember, invite, outsider)).status).toBe(404)
	expect(await world.dump()).toEqual(before)
})

describe('members', () => {
	test('adds an invited person as a member only after they accept', async () => {
		const bo = await world.person({ name: 'Bo' })
		const profile = { avatarUrl: 'https://example.org/b.png', headline: 'New', bio: 'Hi' }
		const invited = { email: bo.email, role: 'moderator' as const, ssoUserId: 'b', ...profile }
		expect((await add(invited)).ok.data).toEqual({
			invitationId: 1,
			...invited,
			status: 'invited',
			createdAt: expect.any(String),
			expiresAt: expect.any(String),
		})
		const token = await invitationTokenIn(world)
		const list = (query: object) =>
			world.ask(memberships.listCommunityMembers, { params: { communityId: id }, query }, ada)
		expect((await list({})).ok.data.map((one) => one.userId)).toEqual([ada.userId])
		const headers = { 'x-community-id': id }
		expect((await world.ask(getCurrentMember, {}, { ...bo, headers })).status).toBe(403)
		const exchange = { body: { email: bo.email, community_id: Number(id) } }
		const server = { key: await key(['headless:auth']) }
		expect((await world.ask(createMemberToken, exchange, server)).status).toBe(404)
		expect((await accept(token, bo)).status).toBe(200)
		const member = { params: { communityId: id, memberId: '2' } }
		expect((await world.ask(memberships.getCommunityMember, member, ada)).ok.data).toMatchObject({
			userId: bo.userId,
			name: 'Bo',
			role: 'moderator',
			status: 'active',
			ssoUserId: 'b',
			...profile,
		})
		expect((await world.ask(createMemberToken, exchange, server)).status).toBe(200)
		expect((await add({ email: bo.email })).status).toBe(409)
		expect((await add({ email: 'dee@example.org', ssoUserId: 'b' })).status).toBe(409)
		for (const body of [{}, { email: 'x' }, { email: 'x@example.org', role: 'king' }])
			expect((await add(body)).status, JSON.stringify(body)).toBe(400)
		await addMember(await world.person())
		const first = await list({ limit: '2' })
		const rest = await list({ limit: '2', cursor: first.headers.get('x-next-cursor') ?? '' })
		expect([...first.ok.data, ...rest.ok.data].map(({ id: memberId }) => memberId)).toEqual([1, 2, 3])
	})

	test('adding a member returns the same response whether or not the address has an account', async () => {
		const bo = await world.person({ name: 'Bo', email: 'known@example.org' })
		const people = await select(world, 'select * from users')
		const answers = []
		for (const email of [bo.email, 'nobody@example.org']) {
			const { status, headers, ok } = await add({ email })
			const {
				invitationId: _,
				email: __,
				createdAt: ___,
				expiresAt: ____,
				...rest
			} = ok.data as memberships.InvitedMember
			answers.push([status, [...headers.keys()].sort(), rest])
		}
		expect(answers[1]).toEqual(answers[0])
		expect(JSON.stringify(answers)).not.toContain('Bo')
		expect(await select(world, 'select * from users')).toEqual(people)
	})

	test('adding a member of another community requires their consent', async () => {
		const bo = await world.person()
		await addMember(bo)
		const me = async () => world.ask(getCurrentMember, {}, bo)
		expect((await me()).ok.community.id).toBe(Number(id))
		const eve = await world.person()
		const other = (await create({ name: 'Other', slug: 'other' }, eve)).ok.data.id
		const invitation = { params: { communityId: String(other) }, body: { email: bo.email } }
		expect((await world.ask(memberships.addCommunityMember, invitation, eve)).status).toBe(201)
		expect((await me()).ok.community.id).toBe(Number(id))
	})

	test('hides memberships of status invited and does not let others activate them', async () => {
		const bo = await world.person()
		await select(
			world,
			`insert into memberships (community_id, user_id, role, status, created_at, updated_at) values (${id}, ${bo.userId}, 'member', 'invited', 1, 1) returning 1`,
		)
		const params = { communityId: id, memberId: '2' }
		const statuses = [
			await world.ask(memberships.getCommunityMember, { params }, ada),
			await world.ask(memberships.updateCommunityMember, { params, body: { status: 'active' } }, ada),
			await world.ask(memberships.removeCommunityMember, { params }, ada),
		].map(({ status }) => status)
		expect(statuses).toEqual([404, 404, 404])
		const list = { params: { communityId: id }, query: {} }
		expect((await world.ask(memberships.listCommunityMembers, list, ada)).ok.data).toHaveLength(1)
	})

	test('changes role, status and profile of a member with immediate effect', async () => {
		const memberId = await addMember(await world.person())
		const exchange = await key(['headless:auth'])
		let { access_token } = await memberTokens(world, exchange, memberId)
		const params = { communityId: id, memberId: String(memberId) }
		const change = (body: object) => world.ask(memberships.updateCommunityMember, { params, body }, ada)
		const memberStatus = async () => (await world.ask(getCurrentMember, {}, { token: access_token })).status
		expect(await memberStatus()).toBe(200)
		expect((await change({ status: 'banned' })).ok.data.status).toBe('banned')
		expect(await memberStatus()).toBe(401)
		await change({ status: 'active', role: 'admin', bio: 'Hi', avatarUrl: 'https://example.org/b.png' })
		access_token = (await memberTokens(world, exchange, memberId)).access_token
		expect((await world.ask(getCurrentMember, {}, { token: access_token })).ok).toMatchObject({
			role: 'admin',
			bio: 'Hi',
			avatar_url: 'https://example.org/b.png',
		})
		expect((await world.ask(memberships.getCommunityMember, { params }, ada)).ok.data.role).toBe('admin')
		for (const body of [{}, { avatarUrl: 'javascript:x' }, { status: 'gone' }, { status: 'invited' }])
			expect((await change(body)).status, JSON.stringify(body)).toBe(400)
		const missing = { params: { communityId: id, memberId: '99' }, body: { bio: 'x' } }
		expect((await world.ask(memberships.updateCommunityMember, missing, ada)).status).toBe(404)
	})
})
