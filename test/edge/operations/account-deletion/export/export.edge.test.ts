/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { sendCode } from '#schema/contract/accounts/identity.ts'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import type { Person } from '../../../../support/edge/world.ts'
import { createEndpoint } from '../../../accounts/webhooks/receiver.ts'
import { type DeletionWorld, openDeletionWorld } from '../deletion-world.ts'
import { downloadExport, openExport } from '../export-zip.ts'

let world: DeletionWorld
let ada: Person
beforeEach(async () => {
	world = await openDeletionWorld()
	ada = await world.person({ email: 'ada@example.org', name: 'Ada Lovelace' })
})

test('an export is a zip of all data about the person and nobody else', async () => {
	const bob = await world.person({ email: 'bob@example.org', name: 'Bob' })
	const params = { orgId: ada.orgId }
	const key = await world.ask(createApiKey, { params, body: { name: 'ci' } }, ada)
	await world.ask(inviteMember, { params: { orgId: bob.orgId }, body: { email: ada.email } }, bob)
	await world.ask(sendCode, { body: { email: ada.email } })
	const { ok: before } = await world.request(ada)
	await world.cancel(ada, await world.readMailedToken(ada))
	const { ok: request } = await world.request(ada)
	const { response, texts, lines } = await openExport(world, ada)
	expect(response.status).toBe(200)
	expect(response.headers.get('content-type')).toBe('application/zip')
	expect(response.headers.get('content-disposition')).toBe('attachment; filename="playhouse-account.zip"')
	expect(response.headers.get('cache-control')).toBe('no-store')

	expect(lines('account.jsonl')).toMatchObject([{ id: ada.userId, email: ada.email, name: 'Ada Lovelace' }])
	expect(lines('sessions.user_id.jsonl')).toMatchObject([{ ip: '198.51.100.1' }])
	expect(lines('otp_codes.email.jsonl')).toHaveLength(1)
	expect(lines('org_members.user_id.jsonl')).toMatchObject([{ org_id: ada.orgId, role: 'owner' }])
	expect(lines('org_invitations.email.jsonl')).toMatchObject([{ org_id: bob.orgId }])
	expect(lines('api_keys.created_by_user_id.jsonl')).toMatchObject([{ name: 'ci' }])
	expect(lines('account_deletion_requests.jsonl')).toMatchObject([
		{ id: request.id, status: 'confirmed' },
		{ id: before.id, status: 'cancelled' },
	])
	expect(lines('account_deletion_logs.jsonl')).toMatchObject([
		{ deletionRequestId: before.id, action: 'requested' },
		{ deletionRequestId: before.id, action: 'cancelled' },
		{ deletionRequestId: request.id, action: 'requested' },
	])
	for (const name of Object.keys(texts))
		if (name !== 'README.txt') expect(texts['README.txt']).toContain(name)

	const everything = Object.values(texts).join('\n')
	expect(everything).not.toMatch(/password_hash|key_hash|token_hash|nonce|code_hash|\$scrypt/)
	expect(everything).not.toContain(key.ok.data.key)
	expect(everything).not.toContain(bob.email)
})

test('an export contains the webhook endpoints of the person’s own organizations, without secrets', async () => {
	const { secret } = await createEndpoint(world, ada)
	const body = { title: 'Film' }
	await world.ask(createAsset, { body }, ada)
	await world.request(ada)
	const { texts, lines } = await openExport(world, ada)
	expect(lines('webhook_endpoints.org_id.jsonl')).toMatchObject([
		{ org_id: ada.orgId, url: 'https://receiver.example.org/hooks' },
	])
	expect(lines('webhook_deliveries.org_id.jsonl')).toMatchObject([{ type: 'asset.created' }])
	expect(texts['webhook_endpoints.org_id.jsonl']).not.toMatch(/secret"/)
	expect(Object.values(texts).join()).not.toContain(secret)
})

test('an export of several pages of rows is complete', async () => {
	const many = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 3001)'
	await world.rows(
		`insert into sessions (id, user_id, user_agent, ip, by_code, created_at, last_seen_at, expires_at, proved_at, renewal_id, former_renewal_id, renewed_at, country, second_factor_at) ${many} select 'ses_x' || i, ${ada.userId}, 'Browser', '203.0.113.1', 0, i, i, 9e15, i, '', null, null, null, null from n returning 1`,
	)
	const { lines } = await openExport(world, ada)
	const ids = lines('sessions.user_id.jsonl').map(({ id }) => id)
	expect(ids).toHaveLength(3_002)
	expect(new Set(ids).size).toBe(3_002)
})

test('a user downloads an export by an own session alone', async () => {
	const key = await world.ask(
		createApiKey,
		{ params: { orgId: ada.orgId }, body: { name: 'k', scopes: ['admin'] } },
		ada,
	)
	for (const token of [key.ok.data.key, 'nonsense']) {
		const response = await downloadExport(world, { token })
		expect([response.status, await response.json()]).toEqual([401, { detail: expect.any(String) }])
	}
	expect((await downloadExport(world, ada, 'export')).status).toBe(200)
})
