import { beforeEach, describe, expect, test } from 'vitest'
import * as log from '#schema/contract/accounts/webhooks/deliveries.ts'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../../edge/platform/clock.ts'
import { testVariables } from '../../../support/shared/variables.ts'
import { select } from '../../community/community.ts'
import { failure, openReceiverWorld, type ReceiverWorld } from './receiver.ts'

let fixture: ReceiverWorld
beforeEach(async () => {
	fixture = await openReceiverWorld()
})

describe('an event', { tags: 'd1' }, () => {
	test('an event is delivered to every endpoint that subscribed to its type', async () => {
		await fixture.createEndpoint({ url: 'https://all.example.org/' })
		await fixture.createEndpoint({
			url: 'https://one.example.org/',
			types: ['asset.created'],
		})
		await fixture.createEndpoint({
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
		expect((await fixture.listLog()).map(({ status, attempts }) => [status, attempts])).toEqual([
			['delivered', 1],
			['delivered', 1],
		])
	})

	test('one queue message delivers 20 events and leaves the rest to the next message', async () => {
		const { id } = await fixture.createEndpoint({ maxInFlight: 1 })
		for (let i = 0; i < 25; i++) await fixture.create(`Film ${i}`)
		const wake = { type: 'webhook.deliver', endpointId: id, isFailing: false } as const
		fixture.world.messages.splice(0, fixture.world.messages.length, wake)
		expect(await fixture.deliver()).toBe(1)
		expect(fixture.received).toHaveLength(20)
		expect(await fixture.deliver()).toBe(1)
		expect(fixture.received).toHaveLength(25)
	})

	test('the deliveries of 1,200 events are planned in one run', async () => {
		await fixture.createEndpoint()
		await fixture.record(1_200)
		await fixture.world.cron('* * * * *')
		expect(await select(fixture.world, 'select count(*) as count from webhook_deliveries')).toEqual([
			{ count: 1_200 },
		])
	})

	test('an event older than 30 days is not delivered', async () => {
		const { id } = await fixture.createEndpoint()
		await fixture.update(id, { status: 'paused' })
		await fixture.create('Old')
		const [row] = await select<{ id: string }>(fixture.world, 'select id from outbox where sequence = 1')
		fixture.world.pass(31 * DAY)
		await fixture.world.cron('17 3 * * *')
		await fixture.update(id, { status: 'enabled' })
		await fixture.create('New')
		await fixture.sweep()
		expect(fixture.titles()).toEqual(['New'])
		const params = { orgId: fixture.ada.orgId, eventId: row?.id ?? '' }
		for (const op of [log.getWebhookEvent, log.retryWebhookEvent])
			expect((await fixture.world.ask(op, { params }, fixture.program)).status, op.id).toBe(404)
	})

	test('a thin delivery of an event contains only ids', async () => {
		await fixture.createEndpoint({ payload: 'thin' })
		const { ok } = await fixture.create('Film')
		await fixture.deliver()
		const { id, playbackId } = ok.data
		expect(fixture.received[0]?.event.data).toEqual({ assetId: id, playbackId })
	})

	test('an event is delivered once if its message arrives twice', async () => {
		const { id } = await fixture.createEndpoint()
		await fixture.create('Film')
		const wake = { type: 'webhook.deliver', endpointId: id, isFailing: false } as const
		await fixture.world.deliver([wake, wake, wake], 'playhouse-webhooks')
		expect(fixture.titles()).toEqual(['Film'])
	})

	test('the sweep plans and delivers an event if the Worker died after the request', async () => {
		await fixture.createEndpoint()
		await fixture.create('Film')
		fixture.world.messages.length = 0
		await select(fixture.world, 'delete from webhook_deliveries returning event_id')
		await select(fixture.world, 'update webhook_endpoints set planned_sequence = 0 returning id')
		await fixture.sweep()
		expect(fixture.titles()).toEqual(['Film'])
	})
})

test('an endpoint at its concurrency limit gets no message for a new event', {
	tags: 'd1',
}, async () => {
	await fixture.createEndpoint({ maxInFlight: 1 })
	await fixture.create('First')
	let messages = -1
	fixture.reply(async () => {
		await fixture.create('Second')
		messages = fixture.world.messages.filter(({ type }) => type === 'webhook.deliver').length
		return new Response('ok')
	})
	await fixture.deliver()
	expect(messages).toBe(0)
	expect(fixture.titles()).toEqual(['First', 'Second'])
})

describe('a delivery that fails', () => {
	test('a failed delivery is attempted ten times with growing waits, then ends', { tags: 'd1' }, async () => {
		const { id } = await fixture.createEndpoint()
		fixture.alwaysReply(() => failure())
		await fixture.create('Film')
		const waits: number[] = []
		let lastAt = fixture.world.now
		for (let attempt = 0; attempt < 10; attempt++) {
			await fixture.deliver()
			const [row] = await fixture.listLog()
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
		const [row] = await fixture.listLog()
		expect(row).toMatchObject({ status: 'failed', attempts: 10, lastStatus: 500 })
		const { deliveries } = await fixture.getLog(row?.eventId ?? '')
		expect(deliveries[0]?.attemptLog).toHaveLength(10)
		expect(deliveries[0]?.attemptLog[0]).toMatchObject({
			...{ number: 1, status: 500, problem: 'the receiver returned 500', responseText: 'no' },
		})
	})

	test('a failed delivery waits as long as the receiver asks', { tags: 'd1' }, async () => {
		const { id } = await fixture.createEndpoint()
		fixture.reply(failure(429, { 'retry-after': '600' }))
		await fixture.create('Film')
		await fixture.deliver()
		const { nextAttemptAt } = await fixture.findEndpoint(id)
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
		// These are the messages of the runtime.
		['a connection that breaks', () => new Error('Network connection lost.'), /broke the connection/],
		['no connection', () => new Error('internal error; reference = x'), /does not resolve, its certificate/],
	])('a failed delivery is recorded for %s', async (_, reply, problem) => {
		await fixture.createEndpoint()
		fixture.reply(reply())
		await fixture.create('Film')
		await fixture.deliver()
		const [row] = await fixture.listLog()
		const { deliveries } = await fixture.getLog(row?.eventId ?? '')
		expect(deliveries[0]?.attemptLog[0]?.problem).toMatch(problem)
		expect(row?.status).toBe('pending')
	})

	test('a delivery is attempted again after its consumer died', { tags: 'd1' }, async () => {
		await fixture.createEndpoint()
		await fixture.create('Film')
		fixture.world.messages.length = 0
		const leaseUntil = fixture.world.now + 30 * SECOND
		await select(
			fixture.world,
			`update webhook_deliveries set epoch = 1, lease_until = ${leaseUntil} returning event_id`,
		)
		await fixture.sweep()
		expect(fixture.received).toEqual([])
		fixture.world.pass(2 * MINUTE)
		await fixture.sweep()
		expect(fixture.titles()).toEqual(['Film'])
	})

	test('a delivery waits five minutes after an internal error, which does not count as an attempt', async () => {
		const { id } = await fixture.createEndpoint()
		await fixture.create('Film')
		fixture.world.set({ AUTH_SECRET: '' })
		await fixture.deliver()
		expect(fixture.received).toEqual([])
		fixture.world.set({ AUTH_SECRET: testVariables.AUTH_SECRET })
		fixture.world.pass(6 * MINUTE)
		await fixture.sweep()
		expect(await fixture.listLog()).toMatchObject([{ status: 'delivered', attempts: 1 }])
		expect(await fixture.findEndpoint(id)).toMatchObject({ status: 'enabled', failingSince: null })
	})

	test('a delivery records nothing for a request that outlasted its lease', { tags: 'd1' }, async () => {
		const { id } = await fixture.createEndpoint()
		fixture.reply(async () => {
			fixture.world.pass(MINUTE)
			fixture.world.messages.push({ type: 'webhook.deliver', endpointId: id, isFailing: false })
			await fixture.deliver()
			return failure()
		})
		await fixture.create('Film')
		await fixture.deliver()
		expect(fixture.titles()).toEqual(['Film', 'Film'])
		expect(await fixture.listLog()).toMatchObject([{ status: 'delivered', attempts: 1 }])
		expect(await fixture.findEndpoint(id)).toMatchObject({ failingSince: null })
	})

	test('a delivery keeps the requested wait when an earlier request then succeeds', {
		tags: 'd1',
	}, async () => {
		const { id } = await fixture.createEndpoint({ maxInFlight: 2 })
		await fixture.create('First')
		await fixture.create('Second')
		fixture.reply(
			async () => {
				fixture.world.messages.push({ type: 'webhook.deliver', endpointId: id, isFailing: false })
				await fixture.deliver()
				return new Response('ok')
			},
			failure(503, { 'retry-after': '600' }),
		)
		await fixture.deliver()
		expect(fixture.titles()).toEqual(['First', 'Second'])
		const { nextAttemptAt } = await fixture.findEndpoint(id)
		expect(Date.parse(nextAttemptAt ?? '') - fixture.world.now).toBeGreaterThan(598 * SECOND)
	})
})

describe('an ordered endpoint', { tags: 'd1' }, () => {
	test('an ordered endpoint gets a later event of an asset only after the earlier one', async () => {
		await fixture.createEndpoint({ order: 'resource' })
		const film = (await fixture.create('Film')).ok.data
		await fixture.world.ask(deleteAsset, { params: { assetId: film.id } }, fixture.program)
		const received = () => fixture.received.map(({ event }) => event.type)
		fixture.reply(failure())
		await fixture.deliver()
		expect(received()).toEqual(['asset.created'])
		fixture.world.pass(10 * SECOND)
		await fixture.deliver()
		expect(received()).toEqual(['asset.created', 'asset.created', 'asset.deleted'])
	})

	test('an ordered endpoint gets events of other assets while one waits', async () => {
		const { id } = await fixture.createEndpoint({ order: 'resource' })
		const film = (await fixture.create('Film')).ok.data
		await fixture.world.ask(deleteAsset, { params: { assetId: film.id } }, fixture.program)
		await fixture.create('Other')
		const wake = { type: 'webhook.deliver', endpointId: id, isFailing: false } as const
		fixture.reply(async () => {
			fixture.world.messages.push(wake)
			await fixture.deliver()
			return new Response('ok')
		})
		fixture.world.messages.splice(0, fixture.world.messages.length, wake)
		await fixture.deliver()
		expect(fixture.received.map(({ event }) => [event.type, event.data.title])).toEqual([
			['asset.created', 'Film'],
			['asset.created', 'Other'],
			['asset.deleted', 'Film'],
		])
	})
})

test('a suspended organization gets no deliveries until it is no longer suspended', {
	tags: 'd1',
}, async () => {
	await fixture.createEndpoint()
	await fixture.create('Film')
	const suspend = (at: number | null) =>
		select(fixture.world, `update orgs set suspended_at = ${at} returning id`)
	await suspend(1)
	await fixture.deliver()
	fixture.world.pass(2 * MINUTE)
	await fixture.sweep()
	expect(fixture.received).toEqual([])
	await suspend(null)
	await fixture.sweep()
	expect(fixture.titles()).toEqual(['Film'])
})

test('an endpoint gets at most maxInFlight requests at a time', async () => {
	const { id } = await fixture.createEndpoint({ maxInFlight: 2 })
	const wake = { type: 'webhook.deliver', endpointId: id, isFailing: false } as const
	const second = Promise.withResolvers<void>()
	let running = 0
	let most = 0
	fixture.alwaysReply(() => async () => {
		most = Math.max(most, ++running)
		if (running === 2) {
			// Finds no delivery that may start.
			fixture.world.messages.push(wake)
			await fixture.deliver()
			second.resolve()
		}
		await second.promise
		running--
		return new Response('ok')
	})
	await Promise.all(Array.from({ length: 8 }, (_, i) => fixture.create(`Film ${i}`)))
	// One request may have planned the events of all, and sent a single message.
	fixture.world.messages.push(wake, wake)
	await fixture.deliver()
	await fixture.sweep()
	expect(fixture.received).toHaveLength(8)
	expect(most).toBe(2)
})

test('an event costs three statements per organization to plan, and seven per endpoint to deliver', {
	tags: 'd1',
}, async () => {
	const rows = () =>
		select(
			fixture.world,
			'select (select count(*) from webhook_deliveries) as deliveries, (select count(*) from webhook_attempts) as attempts',
		)
	const withoutEndpoint = (await fixture.create('None')).statements
	for (let i = 0; i < 3; i++) await fixture.createEndpoint({ url: `https://receiver${i}.example.org/` })
	const { statements } = await fixture.create('Film')
	expect(await rows()).toEqual([{ deliveries: 3, attempts: 0 }])
	// To find the endpoints, to insert the deliveries and to advance the endpoints.
	expect(withoutEndpoint.filter((sql) => sql.includes('webhook_'))).toHaveLength(1)
	expect(statements.filter((sql) => sql.includes('webhook_'))).toHaveLength(3)
	fixture.world.statements.length = 0
	await fixture.deliver()
	// Per endpoint: claim, endpoint, event, three to record the success, and a claim that finds nothing.
	expect(fixture.world.statements).toHaveLength(3 * 7)
	expect(await rows()).toEqual([{ deliveries: 3, attempts: 3 }])
	expect(fixture.received).toHaveLength(3)
	for (const sql of new Set([...statements, ...fixture.world.statements])) {
		const scans = (await fixture.world.plan(sql)).filter((line) =>
			/^SCAN (?!.*INDEX|CONSTANT ROW)/.test(line),
		)
		expect(scans, sql).toEqual([])
	}
})
