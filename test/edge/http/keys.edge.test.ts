import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { openWorld, type Who, type World } from '../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community/community.ts'

/**
 * What the scope `admin` opens, and why a program may do so without a person. A new operation is to be decided here:
 * what makes keys, gives or takes power over others, or can't be undone is `org-admin-person` or `session`.
 */
const openToAdminKeys: Record<string, string> = {
	updateOrg: 'changes names and addresses, which can be changed back',
	inviteMember: 'invites members without power; other roles take a person',
	listInvitations: 'reads',
	revokeInvitation: 'takes back invitations of members without power',
	updateEncodingSettings: 'changes settings, which can be changed back',
	createCommunity: 'makes something new',
	updateCommunity: 'changes settings, which can be changed back',
	inviteToCommunity: 'invites members without power; other roles take a person',
	checkCommunityDomain: 'looks at what the owner of a domain has published',
	listCommunityInvitations: 'reads',
	revokeCommunityInvitation: 'takes back what was not accepted; it can be sent again',
	addCommunityMember: 'invites members without power; other roles take a person',
	updateCommunityMember: 'changes profiles of all members, role and state of plain ones',
	removeCommunityMember: 'removes plain members',
	listMemberTokens: 'reads',
	revokeMemberTokens: 'ends sessions; members sign in again',
	createAccessGroup: 'gives access to content, not power over people',
	updateAccessGroup: 'gives access to content, not power over people',
	deleteAccessGroup: 'takes access to content, which can be given again',
	putAccessGroupMember: 'gives access to content, not power over people',
	removeAccessGroupMember: 'takes access to content, which can be given again',
	putAccessGroupSpace: 'gives access to content, not power over people',
	removeAccessGroupSpace: 'takes access to content, which can be given again',
}

const open = allOperations.filter(({ auth }) =>
	['read', 'write', 'admin', 'headless-auth', 'viewer'].includes(auth),
)

test('opens nothing to keys with the scope admin that was not decided', () => {
	const ids = allOperations.filter(({ auth }) => auth === 'admin').map(({ id }) => id)
	expect(ids.toSorted()).toEqual(Object.keys(openToAdminKeys).toSorted())
})

/** Fields of a body whose values may be the name of a role. */
function roleFields({ body }: Operation): string[] {
	if (!body) return []
	const { properties = {} } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
	return Object.keys(properties).filter((name) =>
		/"(owner|admin|moderator)"/.test(JSON.stringify(properties[name])),
	)
}

test('takes no role from a key but those that the contract names', () => {
	const withRoles = open.filter((op) => roleFields(op).length > 0)
	expect(withRoles.length).toBeGreaterThan(3)
	for (const op of withRoles)
		for (const field of roleFields(op))
			expect(op.keysMaySend?.[field], `${op.id} ${field}`).toEqual(['member'])
	const limited = allOperations.filter(({ keysMaySend }) => keysMaySend)
	expect(limited.map(({ id }) => id)).toEqual(withRoles.map(({ id }) => id))
})

describe('an API key with every scope', () => {
	let world: World
	let fixture: Community
	let key: string
	beforeEach(async () => {
		world = await openWorld()
		fixture = await openCommunity(world)
		key = await fixture.key(['read', 'write', 'admin', 'headless:auth'])
	})

	const ask = (op: Operation, input: { params?: Record<string, string>; body?: object }, who: Who) =>
		world.ask(op, input as never, who)
	const operation = (id: string) => allOperations.find((op) => op.id === id) as Operation

	test('gives nobody a role above member, in any operation', async () => {
		const { memberId } = await fixture.member()
		const params = { orgId: fixture.orgId, communityId: String(fixture.id), memberId: String(memberId) }
		for (const op of allOperations.filter(({ keysMaySend }) => keysMaySend))
			for (const role of ['owner', 'admin', 'moderator', 'member']) {
				const email = `${op.id}-${role}@example.org`.toLowerCase()
				const body = op.id === 'updateCommunityMember' ? { role } : { email, role }
				const known = role !== 'moderator' || op.id !== 'inviteMember'
				const expected = role === 'member' ? op.status : known ? 403 : 400
				expect((await ask(op, { params, body }, { key })).status, `${op.id} ${role}`).toBe(expected)
			}
		expect(await select(world, "select * from org_invitations where role <> 'member'")).toEqual([])
		expect(await select(world, "select * from community_invitations where role <> 'member'")).toEqual([])
		expect(await select(world, "select role from memberships where role <> 'member'")).toEqual([
			{ role: 'owner' },
		])
	})

	test.each(['owner', 'admin', 'moderator'])('takes nothing from a community’s %s', async (role) => {
		const { memberId } = await fixture.member({ role })
		const at = { params: { communityId: String(fixture.id), memberId: String(memberId) } }
		const update = (body: object, who: Who = { key }) =>
			ask(operation('updateCommunityMember'), { ...at, body }, who)
		for (const body of [{ role: 'member' }, { status: 'banned' }, { status: 'inactive' }])
			expect((await update(body)).status, JSON.stringify(body)).toBe(403)
		expect((await ask(operation('removeCommunityMember'), at, { key })).status).toBe(403)
		expect((await update({ headline: 'Founder' })).status).toBe(200)
		expect(await select(world, `select role, status from memberships where id = ${memberId}`)).toEqual([
			{ role, status: 'active' },
		])
		expect(
			(await ask(operation('updateCommunityMember'), { ...at, body: { role: 'member' } }, fixture.owner))
				.status,
		).toBe(200)
		expect((await update({ status: 'banned' })).status).toBe(200)
	})

	test('deletes no community', async () => {
		const at = { params: { communityId: String(fixture.id) } }
		expect((await ask(operation('deleteCommunity'), at, { key })).status).toBe(401)
		expect((await ask(operation('deleteCommunity'), at, fixture.owner)).status).toBe(200)
	})
})
