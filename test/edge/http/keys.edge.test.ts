import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { openWorld, type Who, type World } from '../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community/community.ts'

/**
 * The operations that a key with the scope `admin` may call, each with the reason why it needs no person. Every new
 * operation needs a decision: those that create keys, change power over others or can't be undone are
 * `org-admin-person` or `session`.
 */
const openToAdminKeys: Record<string, string> = {
	updateOrg: 'changes names and addresses, which can be changed back',
	inviteMember: 'invites members without power; other roles need a person',
	listInvitations: 'reads',
	revokeInvitation: 'cancels invitations of members without power',
	listAuditLog: 'reads',
	getAuditLogCsv: 'reads',
	updateSettings: 'changes settings, which can be changed back',
	setLogo: 'changes an image, which can be uploaded again',
	deleteLogo: 'removes an image, which can be uploaded again',
	updateEncodingSettings: 'changes settings, which can be changed back',
	getAiSettings: 'reads',
	updateAiSettings: 'changes settings; a key that it replaces is known to whoever entered it',
	testAiSettings: 'sends a test',
	getWebhookConfig: 'reads',
	updateWebhookConfig: 'changes settings, which can be changed back',
	testWebhookConfig: 'sends a test',
	listWebhookEndpoints: 'reads',
	createWebhookEndpoint: 'creates something new',
	getWebhookEndpoint: 'reads',
	updateWebhookEndpoint: 'changes settings, which can be changed back',
	deleteWebhookEndpoint: 'stops deliveries; another endpoint can recover the events',
	rotateWebhookSecret: 'the former secret remains valid for a day',
	testWebhookEndpoint: 'sends a test',
	listWebhookEvents: 'reads',
	getWebhookEvent: 'reads',
	retryWebhookEvent: 'repeats a delivery to an address of the organization',
	recoverWebhookEvents: 'repeats deliveries to addresses of the organization',
	createCommunity: 'creates something new',
	updateCommunity: 'changes settings, which can be changed back',
	inviteToCommunity: 'invites members without power; other roles need a person',
	checkCommunityDomain: 'reads records that the owner of a domain has published',
	listCommunityInvitations: 'reads',
	revokeCommunityInvitation: 'cancels an unused invitation, which can be sent again',
	addCommunityMember: 'invites members without power; other roles need a person',
	updateCommunityMember: 'changes profiles of all members, but role and status only of regular ones',
	removeCommunityMember: 'removes regular members',
	listMemberTokens: 'reads',
	revokeMemberTokens: 'ends sessions; members sign in again',
	createAccessGroup: 'gives access to content, not power over people',
	updateAccessGroup: 'gives access to content, not power over people',
	deleteAccessGroup: 'removes access to content, which can be given again',
	putAccessGroupMember: 'gives access to content, not power over people',
	removeAccessGroupMember: 'removes access to content, which can be given again',
	putAccessGroupSpace: 'gives access to content, not power over people',
	removeAccessGroupSpace: 'removes access to content, which can be given again',
}

const open = allOperations.filter(({ auth }) =>
	['read', 'write', 'admin', 'headless-auth', 'viewer'].includes(auth),
)

test('every operation that is open to keys with the scope admin is listed with a reason', () => {
	const ids = allOperations.filter(({ auth }) => auth === 'admin').map(({ id }) => id)
	expect(ids.toSorted()).toEqual(Object.keys(openToAdminKeys).toSorted())
})

/** Returns the fields of a body that may hold the name of a role. */
function roleFields({ body }: Operation): string[] {
	if (!body) return []
	const { properties = {} } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
	return Object.keys(properties).filter((name) =>
		/"(owner|admin|moderator)"/.test(JSON.stringify(properties[name])),
	)
}

test('operations accept only the role member from a key', () => {
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

	test('can give nobody a role above member in any operation', async () => {
		const { memberId } = await fixture.member()
		const params = { orgId: fixture.orgId, communityId: String(fixture.id), memberId: String(memberId) }
		for (const op of allOperations.filter(({ keysMaySend }) => keysMaySend))
			for (const role of ['owner', 'admin', 'moderator', 'member']) {
				const email = `${op.id}-${role}@example.org`.toLowerCase()
				const body = op.id === 'updateCommunityMember' ? { role } : { email, role }
				const roleExists = role !== 'moderator' || op.id !== 'inviteMember'
				const expected = role === 'member' ? op.status : roleExists ? 403 : 400
				expect((await ask(op, { params, body }, { key })).status, `${op.id} ${role}`).toBe(expected)
			}
		expect(await select(world, "select * from org_invitations where role <> 'member'")).toEqual([])
		expect(await select(world, "select * from community_invitations where role <> 'member'")).toEqual([])
		expect(await select(world, "select role from memberships where role <> 'member'")).toEqual([
			{ role: 'owner' },
		])
	})

	test.each(['owner', 'admin', 'moderator'])('can’t remove, ban or demote a community’s %s', async (role) => {
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

	test('can’t delete a community', async () => {
		const at = { params: { communityId: String(fixture.id) } }
		expect((await ask(operation('deleteCommunity'), at, { key })).status).toBe(401)
		expect((await ask(operation('deleteCommunity'), at, fixture.owner)).status).toBe(200)
	})
})
