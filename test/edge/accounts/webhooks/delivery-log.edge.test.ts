import { beforeEach, describe, expect, test } from 'vitest'
import * as log from '#schema/contract/accounts/webhooks/deliveries.ts'
import { deleteWebhookEndpoint } from '#schema/contract/accounts/webhooks/endpoints.ts'
import { DAY, MINUTE } from '../../../../edge/platform/clock.ts'
import { select } from '../../community/community.ts'
import { failure, openReceiverWorld, type ReceiverWorld } from './receiver.ts'

let fixture: ReceiverWorld
beforeEach(async () => {
	fixture = await openReceiverWorld()
})

describe('missed events', () => {
	test('events missed during a pause are delivered when the endpoint is enabled', async () => {
		const { id } = await fixture.createEndpoint()
		await fixture.update(id, { status: 'paused' })
		await fixture.create('Film')
		await fixture.sweep()
		expect(fixture.received).toEqual([])
		await fixture.update(id, { status: 'enabled' })
		await fixture.deliver()
		expect(fixture.titles()).toEqual(['Film'])
	})

	test('events missed by a disabled endpoint are recovered on request', async () => {
		const { id } = await fixture.createEndpoint()
		fixture.reply(failure(410))
		const since = new Date(fixture.world.now).toISOString()
		await fixture.create('Refused')
		await fixture.deliver()
		await fixture.create('Missed')
		await fixture.update(id, { status: 'enabled' })
		await fixture.create('Later')
		await fixture.deliver()
		expect(fixture.titles()).toEqual(['Refused', 'Later'])
		const { ok } = await fixture.recover({ since })
		expect(ok.data).toEqual({ deliveries: 2, next: null })
		await fixture.deliver()
		expect(fixture.titles().slice(2).toSorted()).toEqual(['Missed', 'Refused'])
		expect((await fixture.recover({ since })).ok.data.deliveries).toBe(0)
		expect((await fixture.recover({ since, only: 'all', types: ['asset.created'] })).ok.data.deliveries).toBe(
			3,
		)
		expect((await fixture.recover({ since, only: 'all', types: ['asset.error'] })).ok.data.deliveries).toBe(0)
	})
})

test('a recovery covers 500 events per call, and continues where the last call ended', async () => {
	await fixture.record(501)
	await fixture.createEndpoint()
	const since = new Date(fixture.world.now - MINUTE).toISOString()
	const first = (await fixture.recover({ since })).ok.data
	expect(first).toEqual({ deliveries: 500, next: 500 })
	const second = (await fixture.recover({ since, after: first.next ?? 0 })).ok.data
	expect(second).toEqual({ deliveries: 1, next: null })
})

test('a recovery can be limited to one endpoint and to the time before an instant', async () => {
	await fixture.create('Early')
	fixture.world.pass(MINUTE)
	const until = new Date(fixture.world.now).toISOString()
	await fixture.create('Late')
	const { id: endpointId } = await fixture.createEndpoint({ url: 'https://one.example.org/' })
	await fixture.createEndpoint({ url: 'https://other.example.org/' })
	const since = new Date(fixture.world.now - 2 * MINUTE).toISOString()
	expect((await fixture.recover({ since, until, endpointId })).ok.data.deliveries).toBe(1)
	await fixture.deliver()
	expect(fixture.received.map(({ url, event }) => [url, event.data.title])).toEqual([
		['https://one.example.org/', 'Early'],
	])
})

describe('the delivery log', () => {
	test('the delivery log filters by type, status, endpoint and time, page by page', async () => {
		const { id } = await fixture.createEndpoint()
		fixture.reply(failure())
		await fixture.create('A')
		await fixture.deliver()
		await fixture.create('B')
		await fixture.create('C')
		await fixture.deliver()
		expect((await fixture.listLog({ status: 'pending' })).map(({ sequence }) => sequence)).toEqual([1])
		expect(
			(await fixture.listLog({ status: 'delivered', endpointId: id })).map(({ sequence }) => sequence),
		).toEqual([3, 2])
		expect(await fixture.listLog({ type: 'asset.error' })).toEqual([])
		expect(await fixture.listLog({ since: new Date(fixture.world.now + MINUTE).toISOString() })).toEqual([])
		const query = { limit: '2' }
		const first = await fixture.world.ask(
			log.listWebhookEvents,
			{ params: { orgId: fixture.ada.orgId }, query },
			fixture.program,
		)
		expect(first.ok.data.map(({ sequence }) => sequence)).toEqual([3, 2])
		const cursor = first.headers.get('x-next-cursor') ?? ''
		expect((await fixture.listLog({ ...query, cursor })).map(({ sequence }) => sequence)).toEqual([1])
	})

	test('other organizations can’t read or repeat entries of the delivery log', async () => {
		await fixture.createEndpoint()
		await fixture.create('Film')
		await fixture.deliver()
		const [row] = await fixture.listLog()
		const eve = await fixture.world.person()
		const params = { orgId: eve.orgId, eventId: row?.eventId ?? '' }
		expect((await fixture.world.ask(log.getWebhookEvent, { params }, eve)).status).toBe(404)
		expect((await fixture.world.ask(log.retryWebhookEvent, { params }, eve)).status).toBe(404)
		const own = await fixture.world.ask(
			log.listWebhookEvents,
			{ params: { orgId: eve.orgId }, query: {} },
			eve,
		)
		expect(own.ok.data).toEqual([])
	})

	test('an event can’t be repeated while an attempt is running', async () => {
		await fixture.createEndpoint()
		const statuses: number[] = []
		fixture.reply(async () => {
			const [row] = await fixture.listLog()
			const params = { orgId: fixture.ada.orgId, eventId: row?.eventId ?? '' }
			statuses.push((await fixture.world.ask(log.retryWebhookEvent, { params }, fixture.program)).status)
			return new Response('ok')
		})
		await fixture.create('Film')
		await fixture.deliver()
		expect(statuses).toEqual([409])
	})

	test('the delivery log is pruned after 31 days, and at once for a deleted endpoint', async () => {
		const { id } = await fixture.createEndpoint()
		await fixture.create('Old')
		await fixture.deliver()
		const rows = () =>
			select(
				fixture.world,
				'select event_id from webhook_deliveries union all select event_id from webhook_attempts',
			)
		fixture.world.pass(30 * DAY)
		await fixture.world.cron('17 3 * * *')
		expect(await rows()).toHaveLength(2)
		fixture.world.pass(2 * DAY)
		await fixture.create('New')
		await fixture.deliver()
		await fixture.world.cron('17 3 * * *')
		expect(await rows()).toHaveLength(2)
		const params = { orgId: fixture.ada.orgId, endpointId: id }
		await fixture.world.ask(deleteWebhookEndpoint, { params }, fixture.program)
		expect(await rows()).toEqual([])
	})

	test('an event can be sent again to all endpoints that subscribed to its type', async () => {
		for (const name of ['one', 'two']) await fixture.createEndpoint({ url: `https://${name}.example.org/` })
		await fixture.createEndpoint({ types: ['asset.error'] })
		await fixture.create('Film')
		await fixture.deliver()
		const [row] = await fixture.listLog()
		const params = { orgId: fixture.ada.orgId, eventId: row?.eventId ?? '' }
		const { ok } = await fixture.world.ask(log.retryWebhookEvent, { params }, fixture.program)
		expect(ok.data).toHaveLength(2)
		await fixture.deliver()
		expect(fixture.received).toHaveLength(4)
	})

	test('one delivery can be repeated, with the same webhook-id', async () => {
		const { id } = await fixture.createEndpoint()
		await fixture.create('Film')
		await fixture.deliver()
		const [row] = await fixture.listLog()
		const params = { orgId: fixture.ada.orgId, eventId: row?.eventId ?? '' }
		const retried = await fixture.world.ask(
			log.retryWebhookEvent,
			{ params, body: { endpointId: id } },
			fixture.program,
		)
		expect(retried.status).toBe(202)
		await fixture.deliver()
		expect(fixture.received.map(({ headers }) => headers['webhook-id'])).toEqual([row?.eventId, row?.eventId])
		expect((await fixture.listLog())[0]).toMatchObject({ status: 'delivered', attempts: 2 })
	})
})
