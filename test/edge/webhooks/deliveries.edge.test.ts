import { beforeEach, describe, expect, test } from 'vitest'
import * as log from '#schema/contract/platform/webhooks/deliveries.ts'
import * as webhooks from '#schema/contract/platform/webhooks/endpoints.ts'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../edge/platform/clock.ts'
import { select } from '../community/community.ts'
import { createEndpoint, openReceiverWorld, type ReceiverWorld } from './receiver.ts'

let fixture: ReceiverWorld
beforeEach(async () => {
	fixture = await openReceiverWorld()
})

const failure = (status = 500, headers: Record<string, string> = {}) =>
	new Response('no', { status, headers })
const inOrg = () => ({ orgId: fixture.ada.orgId })
const listLog = async (query: Record<string, string> = {}) =>
	(await fixture.world.ask(log.listWebhookEvents, { params: inOrg(), query }, fixture.program)).ok.data
const getLog = async (eventId: string) =>
	(await fixture.world.ask(log.getWebhookEvent, { params: { ...inOrg(), eventId } }, fixture.program)).ok.data
const endpoint = async (endpointId: string) =>
	(
		await fixture.world.ask(
			webhooks.getWebhookEndpoint,
			{ params: { ...inOrg(), endpointId } },
			fixture.program,
		)
	).ok.data
const update = (endpointId: string, body: object) =>
	fixture.world.ask(
		webhooks.updateWebhookEndpoint,
		{ params: { ...inOrg(), endpointId }, body },
		fixture.program,
	)
const recover = (body: object) =>
	fixture.world.ask(log.recoverWebhookEvents, { params: inOrg(), body: body as never }, fixture.program)
const titles = () => fixture.received.map(({ event }) => event.data.title)

describe('an event', () => {
	test('is delivered to every endpoint that subscribed to its type', async () => {
		await createEndpoint(fixture.world, fixture.program, { url: 'https://all.example.org/' })
		await createEndpoint(fixture.world, fixture.program, {
			url: 'https://one.example.org/',
			types: ['asset.created'],
		})
		await createEndpoint(fixture.world, fixture.program, {
			url: 'https://other.example.org/',
			types: ['asset.error'],
		})
		const { ok } = await fixture.create('Film')
		await fixture.deliver()
		const urls = fixture.received.map(({ url }) => url).toSorted()
		expect(urls).toEqual(['https://all.example.org/', 'https://one.example.org/'])
		const [delivery] = fixture.received
		expect(delivery?.event).toMatchObject({
			type: 'asset.created',
			sequence: 1,
			data: { assetId: ok.data.id },
		})
		expect(delivery?.headers).toMatchObject({
			'webhook-id': delivery?.event.id,
			'content-type': 'application/json',
		})
		expect((await listLog()).map(({ status, attempts }) => [status, attempts])).toEqual([
			['delivered', 1],
			['delivered', 1],
		])
	})

	test('has only ids in a thin delivery', async () => {
		await createEndpoint(fixture.world, fixture.program, { payload: 'thin' })
		const { ok } = await fixture.create('Film')
		await fixture.deliver()
		const { id, playbackId } = ok.data
		expect(fixture.received[0]?.event.data).toEqual({ assetId: id, playbackId })
	})

	test('is delivered once if its message arrives twice', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program)
		await fixture.create('Film')
		const wake = { type: 'webhook.deliver', endpointId: id, isFailing: false } as const
		await fixture.world.deliver([wake, wake, wake], 'playhouse-webhooks')
		expect(titles()).toEqual(['Film'])
	})

	test('is planned and delivered by the sweep if the Worker dies after the request', async () => {
		await createEndpoint(fixture.world, fixture.program)
		await fixture.create('Film')
		fixture.world.messages.length = 0
		await select(fixture.world, 'delete from webhook_deliveries returning event_id')
		await select(fixture.world, 'update webhook_endpoints set planned_sequence = 0 returning id')
		await fixture.sweep()
		expect(titles()).toEqual(['Film'])
	})
})

describe('a delivery that fails', () => {
	test('is attempted ten times with growing waits, then ends', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program)
		fixture.alwaysReply(() => failure())
		await fixture.create('Film')
		const waits: number[] = []
		let lastAt = fixture.world.now
		for (let attempt = 0; attempt < 10; attempt++) {
			await fixture.deliver()
			const [row] = await listLog()
			if (row?.nextAttemptAt == null) break
			const at = Date.parse(row.nextAttemptAt)
			waits.push(at - lastAt)
			fixture.world.pass(at - fixture.world.now)
			lastAt = at
			fixture.world.messages.push({ type: 'webhook.deliver', endpointId: id, isFailing: true })
		}
		const expected = [
			5 * SECOND,
			5 * MINUTE,
			30 * MINUTE,
			2 * HOUR,
			5 * HOUR,
			10 * HOUR,
			14 * HOUR,
			20 * HOUR,
			DAY,
		]
		expect(waits).toHaveLength(expected.length)
		for (const [i, wait] of waits.entries()) {
			expect(wait).toBeGreaterThanOrEqual(expected[i] as number)
			expect(wait).toBeLessThanOrEqual((expected[i] as number) * 1.1 + SECOND)
		}
		const [row] = await listLog()
		expect(row).toMatchObject({ status: 'failed', attempts: 10, lastStatus: 500 })
		const { deliveries } = await getLog(row?.eventId ?? '')
		expect(deliveries[0]?.attemptLog).toHaveLength(10)
		expect(deliveries[0]?.attemptLog[0]).toMatchObject({
			...{ number: 1, status: 500, problem: 'the receiver returned 500', responseText: 'no' },
		})
	})

	test('waits as long as the receiver asks', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program)
		fixture.reply(failure(429, { 'retry-after': '600' }))
		await fixture.create('Film')
		await fixture.deliver()
		const { nextAttemptAt } = await endpoint(id)
		expect(Date.parse(nextAttemptAt ?? '') - fixture.world.now).toBeGreaterThan(598 * SECOND)
		fixture.world.pass(5 * MINUTE)
		await fixture.sweep()
		expect(fixture.received).toHaveLength(1)
		fixture.world.pass(6 * MINUTE)
		await fixture.sweep()
		expect(fixture.received).toHaveLength(2)
	})

	test.each([
		[
			'a redirect',
			() => failure(302, { location: 'https://elsewhere.example.org/' }),
			/redirects are not followed/,
		],
		['a connection that breaks', () => new Error('Network connection lost'), /the connection failed/],
		['an invalid certificate', () => new Error('TLS peer certificate is not trusted'), /certificate/],
	])('is recorded for %s', async (_, reply, problem) => {
		await createEndpoint(fixture.world, fixture.program)
		fixture.reply(reply())
		await fixture.create('Film')
		await fixture.deliver()
		const [row] = await listLog()
		const { deliveries } = await getLog(row?.eventId ?? '')
		expect(deliveries[0]?.attemptLog[0]?.problem).toMatch(problem)
		expect(row?.status).toBe('pending')
	})

	test('is attempted again after a consumer died', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program)
		fixture.world.set({ AUTH_SECRET: '' })
		await fixture.create('Film')
		await fixture.deliver()
		expect(fixture.received).toEqual([])
		fixture.world.set({ AUTH_SECRET: 'test-secret-test-secret-test-secret-test-secret' })
		await select(
			fixture.world,
			'update webhook_deliveries set lease_until = due_at where lease_until is not null returning event_id',
		)
		fixture.world.pass(2 * MINUTE)
		await fixture.sweep()
		expect(await endpoint(id)).toMatchObject({ status: 'enabled' })
	})
})

describe('a failing endpoint', () => {
	test('gets one attempt a minute after ten failures, then one every two minutes, and all events once it works', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program, { maxInFlight: 1 })
		fixture.alwaysReply(() => failure())
		for (let i = 0; i < 12; i++) await fixture.create(`Film ${i}`)
		for (let i = 0; i < 12; i++) await fixture.deliver()
		expect(fixture.received).toHaveLength(10)
		const { failingSince, nextAttemptAt } = await endpoint(id)
		expect(failingSince).not.toBe(null)
		expect(Date.parse(nextAttemptAt ?? '') - fixture.world.now).toBeLessThanOrEqual(MINUTE)
		fixture.world.pass(61 * SECOND)
		await fixture.sweep()
		expect(fixture.received).toHaveLength(11)
		fixture.world.pass(61 * SECOND)
		await fixture.sweep()
		expect(fixture.received).toHaveLength(11)
		fixture.alwaysReply(() => new Response('ok'))
		fixture.world.pass(10 * MINUTE)
		await fixture.sweep()
		const delivered = fixture.received.slice(11).map(({ event }) => event.data.title)
		expect(delivered.toSorted()).toEqual(Array.from({ length: 12 }, (_, i) => `Film ${i}`).toSorted())
		expect(await endpoint(id)).toMatchObject({ failingSince: null, nextAttemptAt: null })
	})

	test.each([
		['410 Gone', () => failure(410), 'the receiver returned 410 Gone'],
		[
			'the header webhook-delivery: disable',
			() => new Response('', { headers: { 'webhook-delivery': 'disable' } }),
			'the receiver sent webhook-delivery: disable',
		],
	])('is disabled by %s, and the owner gets a mail', async (_, reply, reason) => {
		const { id } = await createEndpoint(fixture.world, fixture.program, { maxInFlight: 1 })
		fixture.reply(reply())
		await fixture.create('Film')
		await fixture.create('Second')
		await fixture.deliver()
		expect(await endpoint(id)).toMatchObject({ status: 'disabled', statusReason: reason })
		expect((await listLog({ status: 'pending' })).length).toBe(0)
		await fixture.world.deliver()
		const mails = fixture.world.messages.filter((message) => message.type === 'mail.send')
		expect(mails).toHaveLength(1)
		expect(mails[0]).toMatchObject({
			to: fixture.ada.email,
			subject: expect.stringContaining('switched off'),
		})
		await fixture.create('Third')
		await fixture.sweep()
		expect(fixture.received).toHaveLength(1)
	})

	test('is disabled after five days without a success, with mails at the beginning and a day before', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program)
		fixture.alwaysReply(() => failure())
		const mails: string[] = []
		for (let hour = 0; hour <= 6 * 24; hour += 6) {
			await fixture.create(`Film ${hour}`)
			await fixture.sweep()
			await fixture.world.cron('*/10 * * * *')
			await fixture.world.deliver(
				fixture.world.messages.splice(0).filter(({ type }) => type === 'event.happened'),
			)
			for (const message of fixture.world.messages.splice(0))
				if (message.type === 'mail.send' && message.subject.includes('webhook'))
					mails.push(`${hour} ${message.subject} ${message.text.slice(0, 45)}`)
			fixture.world.pass(6 * HOUR)
		}
		expect(mails).toHaveLength(3)
		expect(mails[0]).toMatch(/^6 A webhook endpoint of .* is failing A webhook endpoint is failing/)
		expect(mails[1]).toMatch(
			/^9[06] A webhook endpoint of .* is failing A webhook endpoint will be switched off/,
		)
		expect(mails[2]).toMatch(/^12[0-6] A webhook endpoint of .* was switched off/)
		expect(await endpoint(id)).toMatchObject({
			status: 'disabled',
			statusReason: 'every attempt failed for five days',
		})
	})
})

describe('an ordered endpoint', () => {
	test('gets a later event of an asset only after the earlier one', async () => {
		await createEndpoint(fixture.world, fixture.program, { order: 'resource' })
		const film = (await fixture.create('Film')).ok.data
		await fixture.world.ask(deleteAsset, { params: { assetId: film.id } }, fixture.program)
		await fixture.create('Other')
		fixture.reply(failure())
		await fixture.deliver()
		const seen = fixture.received.map(({ event }) => [event.type, event.data.title])
		expect(seen).toEqual([
			['asset.created', 'Film'],
			['asset.created', 'Other'],
		])
		fixture.world.pass(10 * SECOND)
		await fixture.deliver()
		expect(fixture.received.slice(2).map(({ event }) => [event.type, event.data.title])).toEqual([
			['asset.created', 'Film'],
			['asset.deleted', 'Film'],
		])
	})
})

test('an endpoint gets at most maxInFlight requests at a time', async () => {
	await createEndpoint(fixture.world, fixture.program, { maxInFlight: 2 })
	let running = 0
	let most = 0
	fixture.alwaysReply(() => async () => {
		most = Math.max(most, ++running)
		await new Promise((done) => setTimeout(done, 20))
		running--
		return new Response('ok')
	})
	await Promise.all(Array.from({ length: 8 }, (_, i) => fixture.create(`Film ${i}`)))
	await fixture.deliver()
	await fixture.sweep()
	expect(fixture.received).toHaveLength(8)
	expect(most).toBe(2)
})

describe('events of a time without deliveries', () => {
	test('are delivered when a paused endpoint is enabled', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program)
		await update(id, { status: 'paused' })
		await fixture.create('Film')
		await fixture.sweep()
		expect(fixture.received).toEqual([])
		await update(id, { status: 'enabled' })
		await fixture.deliver()
		expect(titles()).toEqual(['Film'])
	})

	test('are recovered on request for an endpoint that was disabled', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program)
		fixture.reply(failure(410))
		const since = new Date(fixture.world.now).toISOString()
		await fixture.create('Refused')
		await fixture.deliver()
		await fixture.create('Missed')
		await update(id, { status: 'enabled' })
		await fixture.create('Later')
		await fixture.deliver()
		expect(titles()).toEqual(['Refused', 'Later'])
		const { ok } = await recover({ since })
		expect(ok.data).toEqual({ deliveries: 2, remaining: false })
		await fixture.deliver()
		expect(titles().slice(2).toSorted()).toEqual(['Missed', 'Refused'])
		expect((await recover({ since })).ok.data.deliveries).toBe(0)
		expect((await recover({ since, only: 'all', types: ['asset.created'] })).ok.data.deliveries).toBe(3)
		expect((await recover({ since, only: 'all', types: ['asset.error'] })).ok.data.deliveries).toBe(0)
	})
})

describe('the delivery log', () => {
	test('filters by type, status, endpoint and time, page by page', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program)
		fixture.reply(failure())
		await fixture.create('A')
		await fixture.deliver()
		await fixture.create('B')
		await fixture.create('C')
		await fixture.deliver()
		expect((await listLog({ status: 'pending' })).map(({ sequence }) => sequence)).toEqual([1])
		expect((await listLog({ status: 'delivered', endpointId: id })).map(({ sequence }) => sequence)).toEqual([
			3, 2,
		])
		expect(await listLog({ type: 'asset.error' })).toEqual([])
		expect(await listLog({ since: new Date(fixture.world.now + MINUTE).toISOString() })).toEqual([])
		const query = { limit: '2' }
		const first = await fixture.world.ask(log.listWebhookEvents, { params: inOrg(), query }, fixture.program)
		expect(first.ok.data.map(({ sequence }) => sequence)).toEqual([3, 2])
		const cursor = first.headers.get('x-next-cursor') ?? ''
		expect((await listLog({ ...query, cursor })).map(({ sequence }) => sequence)).toEqual([1])
	})

	test('is not visible to other organizations', async () => {
		await createEndpoint(fixture.world, fixture.program)
		await fixture.create('Film')
		await fixture.deliver()
		const [row] = await listLog()
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

	test('can repeat one event, with the same webhook-id', async () => {
		const { id } = await createEndpoint(fixture.world, fixture.program)
		await fixture.create('Film')
		await fixture.deliver()
		const [row] = await listLog()
		const params = { ...inOrg(), eventId: row?.eventId ?? '' }
		const retried = await fixture.world.ask(
			log.retryWebhookEvent,
			{ params, body: { endpointId: id } },
			fixture.program,
		)
		expect(retried.status).toBe(202)
		await fixture.deliver()
		expect(fixture.received.map(({ headers }) => headers['webhook-id'])).toEqual([row?.eventId, row?.eventId])
		expect((await listLog())[0]).toMatchObject({ status: 'delivered', attempts: 2 })
	})
})

test('an event costs one batch per organization to plan, and four statements per endpoint to deliver', async () => {
	const withoutEndpoint = (await fixture.create('None')).statements
	for (let i = 0; i < 3; i++)
		await createEndpoint(fixture.world, fixture.program, { url: `https://receiver${i}.example.org/` })
	const { statements } = await fixture.create('Film')
	// To find the endpoints, to insert the deliveries and to advance the endpoints.
	expect(withoutEndpoint.filter((sql) => sql.includes('webhook_'))).toHaveLength(1)
	expect(statements.filter((sql) => sql.includes('webhook_'))).toHaveLength(3)
	fixture.world.statements.length = 0
	await fixture.deliver()
	// Per endpoint: claim, endpoint, event, three to record the success, and a claim that finds nothing.
	expect(fixture.world.statements).toHaveLength(3 * 7)
	expect(fixture.received).toHaveLength(3)
})
