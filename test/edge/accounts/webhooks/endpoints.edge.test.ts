import { beforeEach, describe, expect, test } from 'vitest'
import { getOrg, updateOrg } from '#schema/contract/accounts/orgs.ts'
import * as webhooks from '#schema/contract/accounts/webhooks/endpoints.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import { createEndpoint, findSigners, openReceiverWorld, type ReceiverWorld, verify } from './receiver.ts'

let fixture: ReceiverWorld
beforeEach(async () => {
	fixture = await openReceiverWorld()
})

const inOrg = () => ({ orgId: fixture.ada.orgId })
const create = (body: object) =>
	fixture.world.ask(webhooks.createWebhookEndpoint, { params: inOrg(), body: body as never }, fixture.program)
const list = async () =>
	(await fixture.world.ask(webhooks.listWebhookEndpoints, { params: inOrg() }, fixture.program)).ok.data
const saveConfig = (body: object) =>
	fixture.world.ask(webhooks.updateWebhookConfig, { params: inOrg(), body: body as never }, fixture.program)
const saveOrg = async (webhookUrl: string | null) =>
	(await fixture.world.ask(updateOrg, { params: inOrg(), body: { webhookUrl } }, fixture.program)).ok.data

describe('webhook endpoints', () => {
	test('a webhook endpoint shows its secret only when it is created', async () => {
		const { secret, ...endpoint } = (await create({ url: 'https://receiver.example.org/a' })).ok.data
		expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
		expect(endpoint).toMatchObject({
			...{ types: null, payload: 'full', order: 'none', maxInFlight: 5 },
			...{ status: 'enabled', statusReason: null, isDefault: false, failingSince: null },
		})
		expect(await list()).toEqual([endpoint])
		const rows = await fixture.world.deps((d) =>
			d.db.all<{ secret: string }>('select secret from webhook_endpoints'),
		)
		expect(rows[0]?.secret).not.toContain(secret.slice(6))
	})

	test.each([
		['http://receiver.example.org/'],
		['https://user:password@receiver.example.org/'],
		['https://receiver.example.org:22/'],
		['https://receiver.example.org:8080/'],
		['https://127.0.0.1/'],
		['https://[::ffff:10.0.0.1]/'],
		['https://2130706433/'],
		['https://localhost/'],
		['https://metadata.internal/'],
		['https://edge.test./'],
	])('a webhook endpoint rejects the URL %s', async (url) => {
		fixture.world.set({ ALLOW_HTTP_URLS: 'false' })
		expect((await create({ url })).status).toBe(400)
	})

	test('an organization has at most ten webhook endpoints, even with concurrent requests', async () => {
		const statuses = await Promise.all(
			Array.from({ length: 12 }, (_, i) => create({ url: `https://receiver.example.org/${i}` })),
		)
		expect(statuses.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), 409, 409])
	})

	test('a webhook endpoint belongs to one organization', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program)
		const eve = await fixture.world.person()
		for (const orgId of [eve.orgId, fixture.ada.orgId]) {
			const params = { orgId, endpointId: id }
			for (const op of [
				webhooks.getWebhookEndpoint,
				webhooks.deleteWebhookEndpoint,
				webhooks.testWebhookEndpoint,
			])
				expect((await fixture.world.ask(op, { params }, eve)).status, op.id).toBe(404)
		}
	})
})

describe('the default endpoint', () => {
	test('the default endpoint has the same URL as the organization', async () => {
		expect((await saveOrg('https://receiver.example.org/a')).webhookUrl).toBe(
			'https://receiver.example.org/a',
		)
		const params = inOrg()
		const config = await fixture.world.ask(webhooks.getWebhookConfig, { params }, fixture.program)
		expect(config.ok.data).toMatchObject({ url: 'https://receiver.example.org/a', isDefault: true })
		await saveConfig({ url: 'https://receiver.example.org/b' })
		expect((await saveOrg('https://receiver.example.org/b')).webhookUrl).toBe(
			'https://receiver.example.org/b',
		)
		expect(await list()).toHaveLength(1)
		expect((await saveOrg(null)).webhookUrl).toBe(null)
		expect(await list()).toEqual([])
	})

	test('a failure to create the default endpoint also prevents a rename in the same request', async () => {
		for (let i = 0; i < 10; i++) await create({ url: `https://receiver.example.org/${i}` })
		const body = { name: 'Renamed', webhookUrl: 'https://receiver.example.org/default' }
		const params = inOrg()
		expect((await fixture.world.ask(updateOrg, { params, body }, fixture.program)).status).toBe(409)
		const { ok } = await fixture.world.ask(getOrg, { params }, fixture.program)
		expect(ok.data.name).not.toBe('Renamed')
	})

	test('the first change with a URL creates the default endpoint, and alone returns its secret', async () => {
		expect((await saveConfig({ payload: 'thin' })).status).toBe(404)
		const first = await saveConfig({ url: 'https://receiver.example.org/', payload: 'thin' })
		expect(first.ok.data?.secret).toMatch(/^whsec_/)
		const second = await saveConfig({ maxInFlight: 1 })
		expect(second.ok.data).toMatchObject({ payload: 'thin', maxInFlight: 1 })
		expect(second.ok.data?.secret).toBeUndefined()
		expect((await saveConfig({ url: null })).ok.data).toBe(null)
		const paused = await saveConfig({ url: 'https://receiver.example.org/', status: 'paused' })
		expect(paused.ok.data).toMatchObject({ status: 'paused' })
	})
})

describe('a rotated secret', () => {
	const rotate = (endpointId: string, force?: boolean) =>
		fixture.world.ask(
			webhooks.rotateWebhookSecret,
			{ params: { ...inOrg(), endpointId }, ...(force && { body: { force } }) },
			fixture.program,
		)

	test('a rotated secret signs together with the former one for 24 hours', async () => {
		const { id, secret: former } = await createEndpoint(fixture.world, fixture.program)
		const { secret } = (await rotate(id)).ok.data
		await fixture.create('Film')
		await fixture.deliver()
		const [delivery] = fixture.received
		if (!delivery) throw new Error('nothing was delivered')
		expect(findSigners(delivery, { former, secret })).toEqual(['former', 'secret'])
		fixture.world.pass(DAY + 1)
		await fixture.create('Later')
		await fixture.deliver()
		const [, later = delivery] = fixture.received
		expect(findSigners(later, { former, secret })).toEqual(['secret'])
	})

	test('a secret can’t be rotated again while the former one still signs, unless that is forced', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program)
		await rotate(id)
		expect((await rotate(id)).status).toBe(409)
		expect((await rotate(id, true)).status).toBe(200)
		fixture.world.pass(DAY + 1)
		expect((await rotate(id)).status).toBe(200)
	})
})

describe('a test of an endpoint', () => {
	const send = (endpointId: string) =>
		fixture.world.ask(webhooks.testWebhookEndpoint, { params: { ...inOrg(), endpointId } }, fixture.program)

	test('a test of an endpoint returns what the receiver responded, and changes no state', async () => {
		const { id, ...before } = await createEndpoint(fixture.world, fixture.program)
		fixture.reply(new Response('x'.repeat(5_000), { status: 500 }))
		const { ok } = await send(id)
		expect(ok.data).toMatchObject({ delivered: false, status: 500, problem: 'the receiver returned 500' })
		expect(ok.data.responseText).toHaveLength(1_024)
		const [after] = await list()
		expect(after).toMatchObject({ failingSince: before.failingSince, updatedAt: before.updatedAt })
		expect(fixture.received[0]?.event).toMatchObject({ type: 'webhook.test', sequence: 0 })
	})

	test('a test event has its whole payload even for a thin endpoint', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program, { payload: 'thin' })
		await send(id)
		expect(fixture.received[0]?.event.data).toEqual({ message: expect.any(String) })
	})

	test('test events are sent at most once per second', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program)
		expect((await send(id)).status).toBe(200)
		expect((await send(id)).status).toBe(429)
		fixture.world.pass(1_000)
		expect((await send(id)).status).toBe(200)
	})
})

test('a delivery is signed as Standard Webhooks requires', async () => {
	const { secret } = await createEndpoint(fixture.world, fixture.program)
	fixture.world.pass(Date.now() - fixture.world.now)
	await fixture.create('Film')
	await fixture.deliver()
	const [delivery] = fixture.received
	if (!delivery) throw new Error('nothing was delivered')
	expect(verify(secret, delivery)).toEqual(delivery.event)
	expect(() => verify(secret, { ...delivery, body: delivery.body.replace('Film', 'Gilm') })).toThrow()
	expect(() => verify(`whsec_${'A'.repeat(43)}=`, delivery)).toThrow()
	const old = String(Number(delivery.headers['webhook-timestamp']) - 301)
	expect(() =>
		verify(secret, { ...delivery, headers: { ...delivery.headers, 'webhook-timestamp': old } }),
	).toThrow()
})
