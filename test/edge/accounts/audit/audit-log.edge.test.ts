import { beforeEach, describe, expect, test } from 'vitest'
import * as apiKeys from '#schema/contract/accounts/api-keys.ts'
import * as contract from '#schema/contract/accounts/audit/audit-log.ts'
import { switchOrg } from '#schema/contract/accounts/identity.ts'
import { inviteMember, removeMember, updateMember } from '#schema/contract/accounts/org-members.ts'
import { updateOrg } from '#schema/contract/accounts/orgs.ts'
import { updateSettings } from '#schema/contract/watch/settings/settings.ts'
import type { Asked } from '../../../support/edge/asked.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { select } from '../../community/community.ts'

let world: World
let root: Person
let ada: Person
let params: { orgId: string }
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	ada = await world.person({ email: 'ada@example.org' })
	params = { orgId: ada.orgId }
})

const createKey = async (scopes: ('read' | 'write' | 'admin')[], who = ada) =>
	(await world.ask(apiKeys.createApiKey, { params, body: { name: 'k', scopes } }, who)).ok.data
const list = async (query: object = {}, who: { token?: string; key?: string } = ada) =>
	(await world.ask(contract.listAuditLog, { params, query }, who)).ok.data
const actionsIn = (entries: readonly { action: string }[]) => entries.map(({ action }) => action)

describe('the audit log of an organization', () => {
	test('an audit entry records who did what, to what, when, from where and in which request', async () => {
		const headers = { 'x-request-id': 'request-of-ada' }
		const asked = { params, body: { email: 'new@example.org', role: 'admin' as const } }
		const { ok } = await world.ask(inviteMember, asked, { ...ada, headers, ip: '203.0.113.9' })
		const at = new Date(world.now).toISOString()
		expect((await list())[0]).toEqual({
			id: expect.stringMatching(/^aud_/),
			orgId: ada.orgId,
			action: 'member.invited',
			actor: { kind: 'user', id: null, userId: ada.userId, email: ada.email },
			onBehalfOf: null,
			target: { kind: 'invitation', id: ok.data.id, userId: null, email: 'new@example.org' },
			requestId: 'request-of-ada',
			ipAddress: '203.0.113.9',
			details: { role: 'admin' },
			createdAt: at,
		})
	})

	test('an audit entry names the key that acted, and the person who created it', async () => {
		const { id, key } = await createKey(['admin'])
		await world.ask(updateSettings, { body: { theme: 'dark' } }, { key })
		expect((await list())[0]).toMatchObject({
			action: 'settings.updated',
			actor: { kind: 'api_key', id, userId: ada.userId },
			details: { changed: ['theme'] },
		})
	})

	test('an audit entry lists the keys and invitations that end with the role of their creator', async () => {
		await world.deps((d) =>
			d.db.all(`insert into org_members values ('${ada.orgId}', ${root.userId}, 'admin', 1) returning 1`),
		)
		const token = (await world.ask(switchOrg, { body: { orgId: ada.orgId } }, root)).ok.data.token
		const { id } = await createKey(['read'], { ...root, token })
		const asked = { params, body: { email: 'new@example.org' } }
		const invitation = (await world.ask(inviteMember, asked, { token })).ok.data
		const member = { params: { ...params, userId: String(root.userId) } }
		await world.ask(updateMember, { ...member, body: { role: 'member' as const } }, ada)
		expect((await list())[0]?.details).toEqual({
			role: 'member',
			before: 'admin',
			endedApiKeys: [id],
			revokedInvitations: [invitation.id],
		})
		await world.ask(removeMember, member, ada)
		expect((await list())[0]?.details).toEqual({ role: 'member', endedApiKeys: [], revokedInvitations: [] })
	})

	test('an audit entry names the changed field but never its text', async () => {
		await world.ask(updateOrg, { params, body: { name: 'Secret plans' } }, ada)
		expect((await list())[0]?.details).toEqual({ changed: ['name'] })
		expect(JSON.stringify(await select(world, 'select * from audit_log'))).not.toContain('Secret plans')
	})

	test('the audit log of an organization is paged, newest first, without entries of other organizations', async () => {
		for (let i = 0; i < 4; i++) await createKey(['read'])
		await world.ask(updateSettings, { body: { theme: 'dark' } }, root)
		const seen: string[] = []
		let cursor: string | null = null
		do {
			const query: Record<string, string> = { limit: '2', ...(cursor !== null && { cursor }) }
			const page: Asked<typeof contract.listAuditLog> = await world.ask(
				contract.listAuditLog,
				{ params, query },
				ada,
			)
			expect(page.ok.data.length).toBeLessThanOrEqual(2)
			expect(page.statements).toHaveLength(2)
			seen.push(...actionsIn(page.ok.data))
			cursor = page.headers.get('x-next-cursor')
		} while (cursor !== null)
		expect(seen).toEqual([...Array(4).fill('api_key.created'), 'org.created'])
	})

	test('the audit log of an organization is filtered by action, actor and time', async () => {
		const { id, key } = await createKey(['admin'])
		await world.ask(updateSettings, { body: { theme: 'dark' } }, { key })
		const at = new Date(world.now).toISOString()
		expect(actionsIn(await list({ action: 'api_key.created' }))).toEqual(['api_key.created'])
		expect(actionsIn(await list({ actor: id }))).toEqual(['settings.updated'])
		expect(await list({ actor: String(ada.userId) })).toHaveLength(3)
		expect(await list({ actor: String(root.userId) })).toEqual([])
		expect(actionsIn(await list({ since: at }))).toEqual(['settings.updated'])
		expect(actionsIn(await list({ until: at }))).toEqual(['api_key.created', 'org.created'])
		const wrong = await world.ask(contract.listAuditLog, { params, query: { actor: 'ada' } }, ada)
		expect(wrong.status).toBe(400)
	})

	test('admins, owners and keys with the scope admin read the audit log of an organization, and nobody else', async () => {
		await world.deps((d) =>
			d.db.all(`insert into org_members values ('${ada.orgId}', ${root.userId}, 'member', 1) returning 1`),
		)
		const statusFor = async (who: { token?: string; key?: string }) =>
			(await world.ask(contract.listAuditLog, { params, query: {} }, who)).status
		expect(await statusFor(root)).toBe(403)
		const member = { ...params, userId: String(root.userId) }
		await world.ask(updateMember, { params: member, body: { role: 'admin' } }, ada)
		expect(await statusFor(root)).toBe(200)
		expect(await statusFor({ key: (await createKey(['admin'])).key })).toBe(200)
		expect(await statusFor({ key: (await createKey(['read', 'write'])).key })).toBe(403)
		expect(await statusFor(await world.person())).toBe(404)
	})

	test('the CSV of the audit log has no cell that a spreadsheet reads as a formula', async () => {
		await world.ask(inviteMember, { params, body: { email: '+cmd@example.org' } }, ada)
		const { headers, text } = await world.ask(contract.getAuditLogCsv, { params, query: {} }, ada)
		expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
		expect(headers.get('content-disposition')).toMatch(/^attachment; filename="audit-log-.*-2037-11-21\.csv"/)
		const lines = text.trimEnd().split('\r\n')
		expect(lines[0]).toMatch(/^createdAt,id,orgId,action,actorKind,/)
		expect(lines).toHaveLength(3)
		expect(lines[1]).toContain(",'+cmd@example.org,")
		const ofKeys = { params, query: { action: 'api_key.created' as const } }
		expect((await world.ask(contract.getAuditLogCsv, ofKeys, ada)).text.trimEnd().split('\r\n')).toHaveLength(
			1,
		)
	})

	test('the CSV of the audit log has every entry, although the query reads it in parts', async () => {
		await world.deps((d) =>
			d.db.all(
				`insert into audit_log (id, org_id, action, actor_kind, details, created_at) select 'aud_' || printf('%026d', value), '${ada.orgId}', 'org.updated', 'system', '{}', value from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 1200) select value from n) returning 1`,
			),
		)
		const { text } = await world.ask(contract.getAuditLogCsv, { params, query: {} }, ada)
		const ids = text
			.trimEnd()
			.split('\r\n')
			.slice(1)
			.map((line) => line.split(',')[1])
		expect(ids).toHaveLength(1201)
		expect(new Set(ids).size).toBe(1201)
	})
})

describe('the audit log of the installation', () => {
	const listAll = (query: object, who: { token?: string; key?: string } = root) =>
		world.ask(contract.listInstallationAuditLog, { query }, who)

	test('the audit log of the installation has the entries of all organizations and its own', async () => {
		await createKey(['read'])
		expect(actionsIn((await listAll({})).ok.data)).toEqual([
			'api_key.created',
			'org.created',
			'superadmin.granted',
			'org.created',
		])
		const ofAda = (await listAll({ orgId: ada.orgId })).ok.data
		expect(actionsIn(ofAda)).toEqual(['api_key.created', 'org.created'])
		const own = (await listAll({ scope: 'installation' })).ok.data
		expect(actionsIn(own)).toEqual(['superadmin.granted'])
		const csv = await world.ask(contract.getInstallationAuditLogCsv, { query: {} }, root)
		expect(csv.text.trimEnd().split('\r\n')).toHaveLength(5)
	})

	test.each([
		contract.listInstallationAuditLog,
		contract.getInstallationAuditLogCsv,
		contract.listAuditChain,
	])('$id accepts sessions of superadmins and no other credential', async (op) => {
		const asked = async (who: object) =>
			(await world.ask(op as typeof contract.listAuditChain, { query: {} }, who)).status
		expect(await asked(root)).toBe(200)
		expect(await asked(ada)).toBe(403)
		expect(await asked({})).toBe(401)
		const keyRequest = { params: { orgId: root.orgId }, body: { name: 'k', scopes: ['admin' as const] } }
		const { key } = (await world.ask(apiKeys.createApiKey, keyRequest, root)).ok.data
		expect(await asked({ key })).toBe(401)
	})
})
