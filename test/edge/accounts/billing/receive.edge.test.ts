import { beforeEach, expect, test } from 'vitest'
import { MAX_BILLING_EVENT_BYTES, receiveBillingEvent } from '#schema/contract/accounts/billing.ts'
import { crons } from '../../../../edge/http/feature.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import { type BillingWorld, openBillingWorld } from './billing-world.ts'
import type { SentEvent } from './stripe-objects.ts'

let billing: BillingWorld
let event: SentEvent
beforeEach(async () => {
	billing = await openBillingWorld()
	const { checkOut, sessionAt, stripe, ada, world } = billing
	stripe.paySession(sessionAt((await checkOut(ada)).ok.data.url))
	event = stripe.events.at(-1) as SentEvent
	world.messages.length = 0
	stripe.requests.length = 0
})

const resultOf = async (sent: ReturnType<BillingWorld['send']>) => (await sent).ok.result

test('a Stripe event is acknowledged before Stripe is called, and counts once', async () => {
	const { send, world, stripe, account, ada } = billing
	expect(await resultOf(send(event))).toBe('accepted')
	expect(await resultOf(send(event))).toBe('known')
	expect(world.messages.map(({ type }) => type)).toEqual(['event.happened'])
	expect(stripe.requests).toEqual([])
	await world.deliver()
	expect(stripe.requests.filter((line) => line.endsWith('/subscriptions'))).toHaveLength(1)
	expect((await account(ada.orgId))?.paid_tier).toBe('pro')
})

test('a Stripe event that arrives twice at the same time counts once', async () => {
	const { send, world } = billing
	const results = await Promise.all([resultOf(send(event)), resultOf(send(event))])
	expect(results.toSorted()).toEqual(['accepted', 'known'])
	expect(world.messages).toHaveLength(1)
})

test('an event whose processing fails is processed later', async () => {
	const { send, world, stripe, account, ada } = billing
	stripe.isDown = true
	await send(event)
	const messages = [...world.messages]
	expect((await world.deliver()).retryMessages).toHaveLength(1)
	stripe.isDown = false
	await world.deliver(messages)
	expect((await account(ada.orgId))?.paid_tier).toBe('pro')
})

test('a Worker that dies after it stored an event processes it from the outbox', async () => {
	const { send, world, account, ada } = billing
	await send(event)
	world.messages.length = 0
	world.pass(DAY / 24)
	await world.cron(crons.eachMinute)
	await world.deliver()
	expect((await account(ada.orgId))?.paid_tier).toBe('pro')
})

test.each([
	['signed with another secret', { secret: 'whsec_another0123456789' }],
	['signed 301 seconds ago', { agedSeconds: 301 }],
])('a Stripe event that is %s is refused', async (_, more) => {
	const { send, world } = billing
	const asked = await send(event, more)
	expect([asked.status, asked.code]).toEqual([401, 'unauthorized'])
	expect(world.messages).toEqual([])
	expect((await send(event, { agedSeconds: 299 })).ok.result).toBe('accepted')
})

test('a Stripe event that was changed or reformatted is refused', async () => {
	const { send } = billing
	const changed = JSON.stringify(event).replace('active', 'paused')
	expect(changed).not.toBe(JSON.stringify(event))
	for (const sent of [changed, JSON.stringify(event, null, 2), '{}', 'no json', `﻿${JSON.stringify(event)}`])
		expect((await send(event, { sent })).code).toBe('unauthorized')
})

test('a Stripe request without a signature, or with an endless one, is refused before its body is read', async () => {
	const { world } = billing
	for (const signature of [undefined, '', 'v1=', `t=1,${'v1=00,'.repeat(1_000)}`]) {
		const headers = signature === undefined ? {} : { 'stripe-signature': signature }
		const asked = await world.ask(receiveBillingEvent, {}, { bytes: '{}', headers })
		expect([signature?.slice(0, 9), asked.code]).toEqual([signature?.slice(0, 9), 'unauthorized'])
	}
})

test('a Stripe event with too large a body is refused', async () => {
	const { send } = billing
	const sent = JSON.stringify({ ...event, filler: 'x'.repeat(MAX_BILLING_EVENT_BYTES) })
	expect((await send(event, { sent })).code).toBe('too_large')
})

test('a Stripe event about a customer of another installation is ignored and not stored', async () => {
	const { send, stripe, world } = billing
	const foreign = stripe.subscribe(stripe.addCustomer('org_of_another_installation'), 'business')
	expect(stripe.subscription(foreign).status).toBe('active')
	expect(await resultOf(send(stripe.events.at(-1) as SentEvent))).toBe('ignored')
	expect(await resultOf(send(stripe.emit('balance.available', { object: 'balance' })))).toBe('ignored')
	expect(await world.deps(({ db }) => db.all('select * from billing_events'))).toEqual([])
})

test('the log names a subscription of a deleted organization or another customer, until it ends', async () => {
	const { send, stripe, world, ada } = billing
	const errors = () => world.logs.filter(({ message }) => message.includes('does not have this customer'))
	for (const orgId of ['org_gone', ada.orgId]) {
		world.logs.length = 0
		const other = stripe.subscribe(stripe.addCustomer(orgId), 'pro')
		expect(await resultOf(send(stripe.events.at(-1) as SentEvent))).toBe('ignored')
		expect(errors()).toMatchObject([{ level: 'error', orgId }])
		stripe.update(other, { status: 'canceled' })
		expect(await resultOf(send(stripe.events.at(-1) as SentEvent))).toBe('ignored')
		expect(errors()).toHaveLength(1)
	}
})

test('a dispute changes nothing and is logged for the operator', async () => {
	const { send, stripe, world } = billing
	expect(await resultOf(send(stripe.emit('charge.dispute.created', { object: 'dispute', id: 'dp_1' })))).toBe(
		'ignored',
	)
	expect(world.logs.find(({ message }) => message === 'a payment is disputed')).toMatchObject({
		disputeId: 'dp_1',
	})
})

test('a Stripe event may name its customer as an object', async () => {
	const { send, stripe } = billing
	const [customer] = stripe.customers.keys()
	const expanded = stripe.emit('invoice.paid', { object: 'invoice', id: 'in_1', customer: { id: customer } })
	expect(await resultOf(send(expanded))).toBe('accepted')
})

test('ids of Stripe events are kept for as long as Stripe may send them again', async () => {
	const { send, world } = billing
	await send(event)
	const count = async () => (await world.deps(({ db }) => db.all('select 1 from billing_events'))).length
	world.pass(39 * DAY)
	await world.cron(crons.eachNight)
	expect(await count()).toBe(1)
	world.pass(2 * DAY)
	await world.cron(crons.eachNight)
	expect(await count()).toBe(0)
})
