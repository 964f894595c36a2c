import { expect, test } from 'vitest'
import { getMe, listSessions, switchOrg } from '#schema/contract/identity.ts'
import { allOperations } from '#schema/contract/index.ts'
import * as orgs from '#schema/contract/orgs.ts'
import { openWorld } from '../world.ts'

test('nothing that A can do or see is open to B, and no byte of A’s data reaches B', async () => {
	const world = await openWorld()
	const a = await world.person({ email: 'secret-a@example.org', name: 'Secretive A' })
	const b = await world.person()
	const member = await world.person({ email: 'secret-member@example.org', name: 'Secretive Member' })
	const seen: string[] = []
	const recorded = world.record()

	const params = { orgId: a.orgId }
	await world.ask(
		orgs.updateOrg,
		{ params, body: { name: 'Secret plans', webhookUrl: 'https://secret.example.org/' } },
		a,
	)
	await world.ask(orgs.getOrg, { params }, a)
	await world.ask(orgs.getOrgUsage, { params }, a)
	const key = await world.ask(orgs.createApiKey, { params, body: { name: 'Secret key' } }, a)
	await world.ask(orgs.listApiKeys, { params, query: {} }, a)
	const invitation = await world.ask(orgs.inviteMember, { params, body: { email: member.email } }, a)
	await world.ask(orgs.listInvitations, { params, query: {} }, a)
	await world.deps((d) =>
		d.db.all(`insert into org_members values ('${a.orgId}', ${member.userId}, 'member', 1) returning role`),
	)
	await world.ask(orgs.listMembers, { params, query: {} }, a)
	const memberParams = { ...params, userId: String(member.userId) }
	await world.ask(orgs.updateMember, { params: memberParams, body: { role: 'admin' } }, a)
	await world.ask(getMe, {}, a)
	await world.ask(listSessions, {}, a)
	await world.ask(orgs.listOrgs, { query: {} }, a)
	await world.ask(switchOrg, { body: { orgId: a.orgId } }, a)
	await world.ask(orgs.revokeInvitation, { params: { ...params, invitationId: invitation.ok.data.id } }, a)
	await world.ask(orgs.deleteApiKey, { params: { ...params, keyId: key.ok.data.id } }, a)
	await world.ask(orgs.removeMember, { params: memberParams }, a)
	const requests = recorded()

	const before = await world.dump()
	for (const { op, request } of requests) {
		const replay = request(b.token)
		const response = await world.fetch(replay)
		const text = await response.text()
		seen.push(text)
		if (op.path.includes('{') || op.id === 'switchOrg')
			expect([401, 403, 404], op.id).toContain(response.status)
	}
	expect(await world.dump()).toEqual(before)
	for (const secret of [
		a.orgId,
		a.orgSlug,
		a.email,
		'Secret',
		'secret',
		key.ok.data.key,
		invitation.ok.data.id,
	])
		expect(seen.join('\n')).not.toContain(secret)

	const covered = new Set(requests.map(({ op }) => op.id))
	const missing = allOperations.filter((op) => op.path.includes('{orgId}') && !covered.has(op.id))
	expect(missing.map((op) => op.id)).toEqual([])
})
