import { beforeEach, expect, test } from 'vitest'
import { createWebhookEndpoint, updateWebhookEndpoint } from '#schema/contract/accounts/webhooks/endpoints.ts'
import * as admin from '#schema/contract/operations/admin/webhook-failures.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { failure, openReceiverWorld } from '../../accounts/webhooks/receiver.ts'

let receiver: Awaited<ReturnType<typeof openReceiverWorld>>
let endpointId: string
beforeEach(async () => {
	receiver = await openReceiverWorld()
	const { world, ada } = receiver
	const url = 'https://hooks.example.org/in?secret=hush'
	const created = await world.ask(
		createWebhookEndpoint,
		{ params: { orgId: ada.orgId }, body: { url, types: ['asset.created'] } },
		ada,
	)
	endpointId = created.ok.data.id
})

const list = async () => {
	const { world, ada } = receiver
	return world.ask(admin.listWebhookFailures, { query: {} }, ada)
}
const recover = (body: { enable?: boolean; since?: string } = {}) =>
	receiver.world.ask(admin.recoverWebhookFailures, { params: { endpointId }, body }, receiver.ada)
const create = () => receiver.world.ask(createAsset, { body: { title: 'Film' } }, receiver.ada)
/** Delivers until nothing is queued. */
async function deliverAll(): Promise<void> {
	while ((await receiver.deliver()) > 0);
}

test('a failing endpoint is listed without the secrets of its URL, and recovered after it was disabled', async () => {
	const { world, received, ada } = receiver
	expect((await list()).ok.data).toEqual([])
	receiver.reply(failure(410))
	await create()
	await deliverAll()
	const listed = await list()
	expect(listed.text).not.toContain('hush')
	expect(listed.ok.data).toMatchObject([
		{ endpointId, orgId: ada.orgId, origin: 'https://hooks.example.org', status: 'disabled', failures: 1 },
	])
	// Missed while the endpoint is disabled.
	await create()
	await deliverAll()
	expect(received).toHaveLength(1)
	expect((await recover()).status).toBe(409)
	const recovered = await recover({ enable: true })
	expect(recovered.ok.data).toMatchObject({ next: null, since: listed.ok.data[0]?.failingSince })
	expect(recovered.ok.data.deliveries).toBeGreaterThanOrEqual(1)
	await deliverAll()
	expect(received.length).toBeGreaterThanOrEqual(2)
	expect((await list()).ok.data).toEqual([])
	const other = await world.person()
	expect((await world.ask(admin.listWebhookFailures, { query: {} }, other)).status).toBe(403)
})

test('an endpoint is enabled together with the recovery of its deliveries, or not at all', async () => {
	const { world } = receiver
	const all = (text: string) => world.deps(({ db }) => db.all<Record<string, unknown>>(text))
	const endpoint = () => all('select status, failing_since is null as works from webhook_endpoints')
	const entries = () => all("select details from audit_log where action = 'webhook.recovered'")
	receiver.reply(failure(410))
	await create()
	await deliverAll()
	await all("update webhook_deliveries set state = 'failed' returning 1")
	await all("create trigger dies before update on webhook_deliveries begin select raise(abort, 'dies'); end")
	try {
		expect((await recover({ enable: true })).status).toBe(500)
	} finally {
		await all('drop trigger dies')
	}
	expect([await endpoint(), await entries()]).toEqual([[{ status: 'disabled', works: 0 }], []])
	expect((await recover({ enable: true })).ok.data.deliveries).toBe(1)
	expect(await endpoint()).toEqual([{ status: 'enabled', works: 1 }])
	expect(await entries()).toHaveLength(1)
})

test('an endpoint that is paused or does not fail is left unchanged by the recovery', async () => {
	const { world, ada } = receiver
	expect((await recover()).status).toBe(409)
	const params = { orgId: ada.orgId, endpointId }
	await world.ask(updateWebhookEndpoint, { params, body: { status: 'paused' } }, ada)
	expect((await recover({ since: '2037-01-01T00:00:00Z', enable: true })).status).toBe(409)
	const missing = { params: { endpointId: `whe_${'0'.repeat(26)}` }, body: {} }
	expect((await world.ask(admin.recoverWebhookFailures, missing, ada)).status).toBe(404)
})
