import { beforeEach, describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../../../edge/platform/clock.ts'
import { select } from '../../community/community.ts'
import { failure, openReceiverWorld, type ReceiverWorld } from './receiver.ts'

let fixture: ReceiverWorld
beforeEach(async () => {
	fixture = await openReceiverWorld()
})

const disablings = () =>
	select(
		fixture.world,
		"select org_id, actor_kind, actor_user_id, target_kind, target_id, details from audit_log where action = 'webhook.disabled'",
	)
const entryOf = (id: string, reason: string) => ({
	org_id: fixture.ada.orgId,
	actor_kind: 'system',
	actor_user_id: null,
	target_kind: 'webhook',
	target_id: id,
	details: JSON.stringify({ reason }),
})

describe('a failing endpoint', () => {
	test('a failing endpoint gets single attempts with doubling pauses, and all events once it works', {
		tags: 'd1',
	}, async () => {
		const { id } = await fixture.createEndpoint({ maxInFlight: 1 })
		fixture.alwaysReply(() => failure())
		for (let i = 0; i < 12; i++) await fixture.create(`Film ${i}`)
		for (let i = 0; i < 12; i++) await fixture.deliver()
		expect(fixture.received).toHaveLength(10)
		const { failingSince, nextAttemptAt } = await fixture.findEndpoint(id)
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
		expect(await fixture.findEndpoint(id)).toMatchObject({ failingSince: null, nextAttemptAt: null })
	})

	test('the pauses of an endpoint double by one step when many requests failed at the same time', async () => {
		const { id } = await fixture.createEndpoint({ maxInFlight: 20 })
		const { promise, resolve } = Promise.withResolvers<void>()
		let running = 0
		fixture.alwaysReply(() => async () => {
			if (++running === 20) resolve()
			await promise
			return failure()
		})
		for (let i = 0; i < 20; i++) await fixture.create(`Film ${i}`)
		await fixture.deliver()
		expect(fixture.received).toHaveLength(20)
		const breakOf = async () =>
			Date.parse((await fixture.findEndpoint(id)).nextAttemptAt ?? '') - fixture.world.now
		expect(await breakOf()).toBeLessThanOrEqual(MINUTE)
		fixture.alwaysReply(() => failure())
		fixture.world.pass(61 * SECOND)
		await fixture.sweep()
		expect(await breakOf()).toBeGreaterThan(110 * SECOND)
		expect(await breakOf()).toBeLessThanOrEqual(2 * MINUTE)
	})

	test('a failing endpoint causes no messages for new events while its one attempt is running', {
		tags: 'd1',
	}, async () => {
		const { id } = await fixture.createEndpoint({ maxInFlight: 5 })
		fixture.alwaysReply(() => failure())
		for (let i = 0; i < 10; i++) await fixture.create(`Film ${i}`)
		for (let i = 0; i < 10; i++) await fixture.deliver()
		fixture.world.pass(70 * SECOND)
		fixture.world.messages.length = 0
		let messages = -1
		fixture.reply(async () => {
			await fixture.create('Later')
			messages = fixture.world.messages.length
			return failure()
		})
		await fixture.sweep()
		expect(fixture.received).toHaveLength(11)
		expect(messages).toBe(0)
		expect(await fixture.findEndpoint(id)).toMatchObject({ status: 'enabled' })
	})

	test('a new URL resets the failures of an endpoint', { tags: 'd1' }, async () => {
		const { id } = await fixture.createEndpoint()
		fixture.reply(failure(503, { 'retry-after': '86400' }))
		await fixture.create('Film')
		await fixture.deliver()
		await select(fixture.world, 'update webhook_endpoints set failing_since = 1 returning id')
		await fixture.update(id, { url: 'https://new.example.org/' })
		expect(await fixture.findEndpoint(id)).toMatchObject({ failingSince: null, nextAttemptAt: null })
		fixture.alwaysReply(() => failure())
		await fixture.create('Second')
		await fixture.deliver()
		expect(await fixture.findEndpoint(id)).toMatchObject({ status: 'enabled' })
		expect(fixture.received.at(-1)?.url).toBe('https://new.example.org/')
	})

	test('a suspension of the organization does not count towards disabling a failing endpoint', {
		tags: 'd1',
	}, async () => {
		const { id } = await fixture.createEndpoint()
		fixture.alwaysReply(() => failure())
		await fixture.create('Film')
		await fixture.deliver()
		const suspend = (at: number | null) =>
			select(fixture.world, `update orgs set suspended_at = ${at} returning id`)
		await suspend(1)
		fixture.world.pass(6 * DAY)
		await fixture.sweep()
		await fixture.world.cron('*/10 * * * *')
		const notices = await select(fixture.world, "select id from outbox where type like 'webhook.%'")
		expect(notices).toEqual([])
		await suspend(null)
		await fixture.sweep()
		expect(fixture.received).toHaveLength(2)
		expect(await fixture.findEndpoint(id)).toMatchObject({ status: 'enabled' })
	})

	test('an endpoint gets the other due events right after a failure', { tags: 'd1' }, async () => {
		await fixture.createEndpoint({ maxInFlight: 1 })
		await fixture.create('First')
		await fixture.create('Second')
		fixture.world.messages.splice(1)
		fixture.reply(failure())
		await fixture.deliver()
		await fixture.deliver()
		expect(fixture.titles()).toEqual(['First', 'Second'])
	})

	test.each([
		['410 Gone', () => failure(410), 'the receiver returned 410 Gone'],
		[
			'the header webhook-delivery: disable',
			() => new Response('', { headers: { 'webhook-delivery': 'disable' } }),
			'the receiver sent webhook-delivery: disable',
		],
		[
			'that header of a failure',
			() => failure(500, { 'webhook-delivery': 'disable' }),
			'the receiver sent webhook-delivery: disable',
		],
	])('a failing endpoint is disabled by %s, and the owner gets a mail', async (_, reply, reason) => {
		const { id } = await fixture.createEndpoint({ maxInFlight: 1 })
		fixture.reply(reply())
		await fixture.create('Film')
		await fixture.create('Second')
		await fixture.deliver()
		expect(await fixture.findEndpoint(id)).toMatchObject({ status: 'disabled', statusReason: reason })
		expect((await fixture.listLog({ status: 'pending' })).length).toBe(0)
		expect(await disablings()).toEqual([entryOf(id, reason)])
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

	test('an endpoint stays enabled if its URL changed while the old receiver answered 410', {
		tags: 'd1',
	}, async () => {
		const { id } = await fixture.createEndpoint()
		fixture.reply(async () => {
			await fixture.update(id, { url: 'https://new.example.org/' })
			return failure(410)
		})
		await fixture.create('Film')
		await fixture.deliver()
		expect(await fixture.findEndpoint(id)).toMatchObject({ status: 'enabled' })
		expect(await disablings()).toEqual([])
		fixture.world.pass(MINUTE)
		await fixture.sweep()
		expect(fixture.received.map(({ url }) => url)).toEqual([
			'https://receiver.example.org/hooks',
			'https://new.example.org/',
		])
	})

	test('an endpoint without success for five days is disabled, with mails at the start and a day before', {
		tags: 'd1',
	}, async () => {
		const { id } = await fixture.createEndpoint()
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
		expect(await fixture.findEndpoint(id)).toMatchObject({
			status: 'disabled',
			statusReason: 'every attempt failed for five days',
		})
		expect(await disablings()).toEqual([entryOf(id, 'every attempt failed for five days')])
	})
})
