import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { getMe } from '#schema/contract/accounts/identity.ts'
import {
	acceptInvitation,
	inviteMember,
	listInvitations,
	listMembers,
	removeMember,
	revokeInvitation,
	updateMember,
} from '#schema/contract/accounts/org-members.ts'
import { createOrg, getOrg } from '#schema/contract/accounts/orgs.ts'
import type { OrgRole } from '#schema/contract/accounts/roles.ts'
import { invitationTokenIn } from '../../../support/edge/mailbox.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
let bob: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	bob = await world.person()
	world.messages.length = 0
})

const DAY = 86_400_000
const invite = (email: string, role: OrgRole = 'member', who: Person = ada) =>
	world.ask(inviteMember, { params: { orgId: ada.orgId }, body: { email, role } }, who)
const accept = (token: string, who: Person = bob) => world.ask(acceptInvitation, { body: { token } }, who)
const setRole = (userId: number, role: OrgRole, who: Person = ada) =>
	world.ask(updateMember, { params: { orgId: ada.orgId, userId: String(userId) }, body: { role } }, who)
const remove = (userId: number, who: Person = ada) =>
	world.ask(removeMember, { params: { orgId: ada.orgId, userId: String(userId) } }, who)

async function join(person: Person, role: OrgRole) {
	await invite(person.email, role)
	expect((await accept(await invitationTokenIn(world), person)).status).toBe(200)
}

describe('invitations', () => {
	test('an invitation is mailed, and the invited person alone can accept it, once', async () => {
		const made = await invite('Person2@Example.org', 'admin')
		expect(made.status).toBe(201)
		expect(made.ok.data).toMatchObject({ email: bob.email, role: 'admin', status: 'open' })
		const token = await invitationTokenIn(world)
		const eve = await world.person()
		expect((await accept(token, eve)).status).toBe(404)
		const joined = await accept(token)
		expect(joined.ok.data).toMatchObject({ id: ada.orgId, role: 'admin' })
		expect((await accept(token)).status).toBe(404)
		expect((await world.ask(getMe, {}, bob)).ok.data.memberships.map((m) => m.role)).toEqual([
			'owner',
			'admin',
		])
	})

	test('concurrent acceptances of an invitation succeed once', async () => {
		await invite(bob.email)
		const token = await invitationTokenIn(world)
		const answers = await Promise.all([accept(token), accept(token), accept(token)])
		expect(answers.map((a) => a.status).toSorted()).toEqual([200, 404, 404])
	})

	test('the token of an invitation is stored neither in the invitation nor in the outbox', async () => {
		await invite(bob.email)
		const token = await invitationTokenIn(world)
		for (const table of ['org_invitations', 'outbox'])
			expect(JSON.stringify(await world.deps((d) => d.db.all(`select * from ${table}`)))).not.toContain(token)
	})

	test('an invitation works until it is replaced, cancelled or seven days old', { tags: 'd1' }, async () => {
		await invite(bob.email)
		const first = await invitationTokenIn(world)
		const second = await invite(bob.email)
		const replaced = await invitationTokenIn(world)
		expect((await accept(first)).status).toBe(404)
		const params = { orgId: ada.orgId, invitationId: second.ok.data.id }
		expect((await world.ask(revokeInvitation, { params }, ada)).status).toBe(200)
		expect((await accept(replaced)).status).toBe(404)
		await invite(bob.email)
		const third = await invitationTokenIn(world)
		world.pass(7 * DAY)
		ada.token = await world.logIn(ada)
		bob.token = await world.logIn(bob)
		expect((await accept(third)).status).toBe(404)
		const list = await world.ask(listInvitations, { params: { orgId: ada.orgId }, query: {} }, ada)
		expect(list.ok.data.map((i) => i.status)).toEqual(['expired'])
	})

	test.each(["update org_members set role = 'member'", 'delete from org_members'])(
		'an invitation becomes void when its sender is no longer an owner or admin: %s',
		async (change) => {
			const admin = await world.person()
			await join(admin, 'admin')
			expect((await invite(bob.email, 'admin', admin)).status).toBe(201)
			const token = await invitationTokenIn(world)
			await world.deps(({ db }) =>
				db.all(`${change} where user_id = ${admin.userId} and org_id = '${ada.orgId}' returning 1`),
			)
			expect((await accept(token, bob)).status).toBe(404)
		},
	)

	test('members can’t be invited again, and only owners can invite owners', async () => {
		await join(bob, 'admin')
		expect((await invite(bob.email)).status).toBe(409)
		expect((await invite('new@example.org', 'owner', bob)).status).toBe(403)
		expect((await invite('new@example.org', 'admin', bob)).status).toBe(201)
		expect((await setRole(bob.userId, 'member')).status).toBe(200)
		expect((await invite('new2@example.org', 'member', bob)).status).toBe(403)
	})

	test('inviting answers 501 in production without a configured URL for links', async () => {
		world.set({ ENVIRONMENT: 'production' })
		expect((await invite(bob.email)).status).toBe(501)
		world.set({ FRONTEND_URL: 'https://play.example.org/' })
		expect((await invite(bob.email)).status).toBe(201)
		await world.deliver(world.messages.splice(0))
		expect(JSON.stringify(world.messages)).toContain('https://play.example.org/join#token=')
	})

	test('nobody replaces or cancels an invitation to a role that they may not assign', {
		tags: 'd1',
	}, async () => {
		await join(bob, 'admin')
		const params = { orgId: ada.orgId }
		const body = { name: 'k', scopes: ['admin' as const] }
		const { key } = (await world.ask(createApiKey, { params, body }, ada)).ok.data
		const inviteAs = (email: string, role: OrgRole, who: Who) =>
			world.ask(inviteMember, { params, body: { email, role } }, who)
		const revoke = async (id: string, who: Who) =>
			(await world.ask(revokeInvitation, { params: { ...params, invitationId: id } }, who)).status
		const owner = (await inviteAs('o@example.org', 'owner', ada)).ok.data
		const admin = (await inviteAs('a@example.org', 'admin', ada)).ok.data
		expect((await inviteAs('o@example.org', 'member', bob)).status).toBe(409)
		expect((await inviteAs('o@example.org', 'member', { key })).status).toBe(409)
		expect((await inviteAs('a@example.org', 'member', { key })).status).toBe(409)
		expect([
			await revoke(owner.id, bob),
			await revoke(owner.id, { key }),
			await revoke(admin.id, { key }),
		]).toEqual([403, 403, 403])
		const list = await world.ask(listInvitations, { params, query: {} }, ada)
		expect(list.ok.data.map(({ id, role }) => [id, role])).toEqual([
			[admin.id, 'admin'],
			[owner.id, 'owner'],
			[expect.any(String), 'admin'],
		])
		expect([await revoke(admin.id, bob), await revoke(owner.id, ada), await revoke(owner.id, ada)]).toEqual([
			200, 200, 404,
		])
	})

	test('invitations take no more seats than the tier allows, even when sent at once', async () => {
		world.set({ DEFAULT_TIER: 'free' })
		const small = (await world.ask(createOrg, { body: { name: 'Small' } }, ada)).ok.data.id
		const answers = await Promise.all(
			[1, 2, 3, 4, 5, 6].map((n) =>
				world.ask(inviteMember, { params: { orgId: small }, body: { email: `p${n}@example.net` } }, ada),
			),
		)
		expect(answers.map(({ status, code }) => [status, code]).toSorted()).toEqual([
			[201, null],
			[201, null],
			...Array(4).fill([403, 'plan_limit']),
		])
		const [open] = (await world.ask(listInvitations, { params: { orgId: small }, query: {} }, ada)).ok.data
		const again = { params: { orgId: small }, body: { email: open?.email ?? '' } }
		expect((await world.ask(inviteMember, again, ada)).status).toBe(201)
	})

	test('the invitations of an API key become void when the creator of the key leaves', {
		tags: 'd1',
	}, async () => {
		await join(bob, 'admin')
		const params = { orgId: ada.orgId }
		const body = { name: 'k', scopes: ['admin' as const] }
		const { key } = (await world.ask(createApiKey, { params, body }, bob)).ok.data
		const guest = await world.person()
		await world.ask(inviteMember, { params, body: { email: guest.email } }, { key })
		const token = await invitationTokenIn(world)
		await remove(bob.userId)
		expect((await world.ask(acceptInvitation, { body: { token } }, guest)).status).toBe(404)
	})

	test('an expired invitation can be replaced, whatever its role was', async () => {
		await join(bob, 'admin')
		const params = { orgId: ada.orgId }
		await world.ask(inviteMember, { params, body: { email: 'o@example.org', role: 'owner' } }, ada)
		const body = { email: 'o@example.org', role: 'member' as const }
		expect((await world.ask(inviteMember, { params, body }, bob)).status).toBe(409)
		world.pass(8 * 86_400_000)
		const token = await world.logIn(bob)
		expect((await world.ask(inviteMember, { params, body }, { token })).status).toBe(201)
	})

	test('open invitations count against the member limit of the tier', async () => {
		world.set({ DEFAULT_TIER: 'free' })
		const small = (await world.ask(createOrg, { body: { name: 'Small' } }, ada)).ok.data.id
		const inviteThere = (email: string) =>
			world.ask(inviteMember, { params: { orgId: small }, body: { email } }, ada)
		expect((await inviteThere('a@example.org')).status).toBe(201)
		expect((await inviteThere('b@example.org')).status).toBe(201)
		const third = await inviteThere('c@example.org')
		expect([third.status, third.code]).toEqual([403, 'plan_limit'])
	})
})

describe('members', () => {
	test('a removed member’s token stops working in the organization at the next request', async () => {
		await join(bob, 'admin')
		expect((await world.ask(getOrg, { params: { orgId: ada.orgId } }, bob)).status).toBe(200)
		expect((await remove(bob.userId)).status).toBe(200)
		expect((await world.ask(getOrg, { params: { orgId: ada.orgId } }, bob)).status).toBe(404)
		expect((await remove(bob.userId)).status).toBe(404)
	})

	test('a member may leave, whatever their role is', async () => {
		await join(bob, 'member')
		expect((await remove(ada.userId, bob)).status).toBe(403)
		expect((await remove(bob.userId, bob)).status).toBe(200)
	})

	test('admins change the roles of members, but only owners change or appoint owners', async () => {
		await join(bob, 'admin')
		const eve = await world.person()
		await join(eve, 'member')
		expect((await setRole(eve.userId, 'admin', bob)).ok.data.role).toBe('admin')
		expect((await setRole(eve.userId, 'owner', bob)).status).toBe(403)
		expect((await setRole(ada.userId, 'member', bob)).status).toBe(403)
		expect((await remove(ada.userId, bob)).status).toBe(403)
		expect((await setRole(eve.userId, 'member', bob)).status).toBe(200)
		expect((await setRole(bob.userId, 'member', eve)).status).toBe(403)
		expect((await setRole(99_999, 'member')).status).toBe(404)
	})

	test('the last owner of an organization can neither leave nor lose the role', async () => {
		expect((await setRole(ada.userId, 'member')).status).toBe(409)
		expect((await remove(ada.userId)).status).toBe(409)
		await join(bob, 'owner')
		const answers = await Promise.all([
			setRole(ada.userId, 'member', bob),
			setRole(bob.userId, 'admin', ada),
			remove(ada.userId, ada),
			remove(bob.userId, bob),
		])
		expect(answers.some((a) => a.status === 200)).toBe(true)
		const left = await world.deps((d) =>
			d.db.all<{ n: number }>(
				`select count(*) as n from org_members where org_id = '${ada.orgId}' and role = 'owner'`,
			),
		)
		expect(left[0]?.n).toBeGreaterThanOrEqual(1)
	})

	test('members are listed oldest first', async () => {
		world.pass(1000)
		await join(bob, 'member')
		const { ok } = await world.ask(listMembers, { params: { orgId: ada.orgId }, query: { limit: '1' } }, bob)
		expect(ok.data).toEqual([
			{
				userId: ada.userId,
				email: ada.email,
				name: 'Person 1',
				role: 'owner',
				joinedAt: expect.stringContaining('2037-11-21T12:00'),
			},
		])
	})
})
