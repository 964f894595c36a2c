import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { openWorld, type Who, type World } from '../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community/community.ts'

const open = allOperations.filter(({ auth }) =>
	['read', 'write', 'admin', 'headless-auth', 'viewer'].includes(auth),
)

/**
 * Every new operation needs a decision: those that create keys, change power over others or can't be undone are
 * `org-admin-person` or `session`.
 */
test('every changing operation that is open to keys with the scope admin has a reason', () => {
	const changes = allOperations.filter(({ auth, method }) => auth === 'admin' && method !== 'get')
	const reasoned = allOperations.filter(({ openToKeys }) => openToKeys)
	expect(changes.map(({ id }) => id)).toEqual(reasoned.map(({ id }) => id))
})

/** Returns the fields of a body that may hold the name of a role. */
function roleFields({ body }: Operation): string[] {
	if (!body) return []
	const { properties = {} } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
	return Object.keys(properties).filter((name) =>
		/"(owner|admin|moderator)"/.test(JSON.stringify(properties[name])),
	)
}

test('operations of a key accept no other role than member', () => {
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

	test('an API key can give nobody a role above member in any operation', async () => {
		const { memberId } = await fixture.member()
		const params = { orgId: fixture.orgId, communityId: String(fixture.id), memberId: String(memberId) }
		for (const op of allOperations.filter(({ keysMaySend }) => keysMaySend))
			for (const role of ['owner', 'admin', 'moderator', 'member']) {
				const email = `${op.id}-${role}@example.org`.toLowerCase()
				const ofLink = op.id === 'createInvitationLink' && { name: 'Link', maxUses: 1 }
				const body = op.id === 'updateCommunityMember' ? { role } : { ...(ofLink || { email }), role }
				const roleExists = role !== (ofLink ? 'owner' : op.id === 'inviteMember' && 'moderator')
				const expected = role === 'member' ? op.status : roleExists ? 403 : 400
				expect((await ask(op, { params, body }, { key })).status, `${op.id} ${role}`).toBe(expected)
			}
		expect(await select(world, "select * from org_invitations where role <> 'member'")).toEqual([])
		expect(await select(world, "select * from community_invitations where role <> 'member'")).toEqual([])
		expect(await select(world, "select * from invitation_links where role <> 'member'")).toEqual([])
		expect(await select(world, "select role from memberships where role <> 'member'")).toEqual([
			{ role: 'owner' },
		])
	})

	test.each(['owner', 'admin', 'moderator'])(
		'an API key can’t remove, ban or demote a community’s %s',
		async (role) => {
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
		},
	)

	test('an API key can’t delete a community', async () => {
		const at = { params: { communityId: String(fixture.id) } }
		expect((await ask(operation('deleteCommunity'), at, { key })).status).toBe(401)
		expect((await ask(operation('deleteCommunity'), at, fixture.owner)).status).toBe(200)
	})
})
