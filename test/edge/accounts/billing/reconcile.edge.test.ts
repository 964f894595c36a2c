import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { closeCustomersStatement } from '../../../../edge/accounts/billing/closing/close-store.ts'
import { crons } from '../../../../edge/http/feature.ts'
import { DAY, HOUR, MINUTE, toUtcMonth } from '../../../../edge/platform/clock.ts'
import { type BillingWorld, openBillingWorld } from './billing-world.ts'

let billing: BillingWorld
let customer: string
let subscription: string
beforeEach(async () => {
	billing = await openBillingWorld({ BILLING_METERS: 'true' })
	const { checkOut, sessionAt, stripe, ada, settle, account } = billing
	subscription = stripe.paySession(sessionAt((await checkOut(ada)).ok.data.url)) ?? ''
	await settle()
	customer = (await account(ada.orgId))?.customer_id ?? ''
})

/** Lets time pass, then runs the task of every ten minutes and the work that it queues. */
async function reconcileAfter(ms: number): Promise<string[]> {
	const { world, stripe } = billing
	world.pass(ms)
	stripe.requests.length = 0
	await world.cron(crons.eachTenMinutes)
	const messages = world.messages.filter(({ type }) => type === 'billing.reconcile')
	world.messages.length = 0
	await world.deliver(messages)
	return stripe.requests
}

describe('the daily comparison with Stripe', { tags: 'd1' }, () => {
	test('the daily comparison with Stripe finds changes that no event reported', async () => {
		const { stripe, account, ada } = billing
		stripe.update(subscription, { status: 'canceled' })
		expect(await reconcileAfter(DAY - HOUR)).toEqual([])
		expect((await account(ada.orgId))?.paid_tier).toBe('pro')
		await reconcileAfter(HOUR)
		expect(await account(ada.orgId)).toMatchObject({ paid_tier: null, status: null })
	})

	test('the daily comparison with Stripe finds a checkout without an event within about a day', async () => {
		const { stripe, account, ada, checkOut, sessionAt, settle } = billing
		stripe.update(subscription, { status: 'canceled' })
		await settle()
		stripe.paySession(sessionAt((await checkOut(ada, 'business')).ok.data.url))
		await reconcileAfter(DAY + 2 * HOUR)
		expect((await account(ada.orgId))?.paid_tier).toBe('business')
	})

	test('the daily comparison with Stripe removes no tier if the key belongs to another account', async () => {
		const { stripe, account, ada, checkOut } = billing
		stripe.customers.clear()
		await reconcileAfter(DAY - HOUR)
		expect((await checkOut(ada)).code).toBe('unavailable')
		await reconcileAfter(HOUR)
		expect(await account(ada.orgId)).toMatchObject({ customer_id: customer, paid_tier: 'pro' })
	})

	test('the daily comparison is repeated an hour later if Stripe is down', async () => {
		const { stripe } = billing
		stripe.isDown = true
		await reconcileAfter(DAY)
		stripe.isDown = false
		expect(await reconcileAfter(MINUTE)).toEqual([])
		expect(await reconcileAfter(HOUR)).not.toEqual([])
	})
})

describe('reported usage', () => {
	const encode = (minutes: number, month = toUtcMonth(billing.world.now)) =>
		billing.world.deps(({ db }) =>
			db.all(
				`insert into usage_counters (org_id, metric, period, value) values ('${billing.ada.orgId}', 'encode_ms', '${month}', ${minutes * MINUTE}) on conflict (org_id, period, metric) do update set value = value + excluded.value returning value`,
			),
		)
	/** The minutes that Stripe has of each day, by the number of days since the first. */
	const reported = () => {
		const name = `${customer} playhouse_encode_minutes`
		const days = [...billing.stripe.meters].filter(([key]) => key.startsWith(name))
		return days.map(([, minutes]) => minutes)
	}

	test('usage before the subscription is not reported to Stripe', { tags: 'd1' }, async () => {
		await encode(50)
		await reconcileAfter(DAY)
		expect(reported()).toEqual([])
		await encode(7)
		await reconcileAfter(DAY)
		expect(reported()).toEqual([7])
	})

	test('usage in the first days of a month, before the subscription, is not reported to Stripe', async () => {
		await encode(60, '2037-12')
		// The first comparison is on 2 December.
		const { world } = billing
		await reconcileAfter(Date.UTC(2037, 11, 2, 12) - world.now)
		expect(reported()).toEqual([])
		await encode(7)
		await reconcileAfter(DAY)
		expect(reported()).toEqual([7])
	})

	test('the daily reports of usage add up to the total', { tags: 'd1' }, async () => {
		await reconcileAfter(DAY)
		let total = 0
		await reconcileAfter(6 * DAY)
		// From 28 November to 3 December.
		for (let day = 1; day <= 6; day++) {
			await encode(day)
			total += day
			await reconcileAfter(DAY)
		}
		expect(reported().reduce((sum, minutes) => sum + minutes)).toBe(total)
	})

	test('usage that arrives late counts for the last day of its month', { tags: 'd1' }, async () => {
		await reconcileAfter(DAY)
		await encode(3)
		// To 1 December.
		await reconcileAfter(9 * DAY)
		await encode(4, '2037-11')
		await encode(5)
		await reconcileAfter(DAY)
		expect(reported().toSorted()).toEqual([5, 7])
	})

	test('a repeated report of usage after a crash changes nothing at Stripe', async () => {
		const { world, ada, stripe } = billing
		await reconcileAfter(DAY)
		await encode(9)
		// The Worker dies after it reported to Stripe.
		const dying = world.dieDuring(
			(statement) => {
				if (/set "reported_minutes"/.test(statement)) throw new Error('died')
			},
			() => world.deliver([{ type: 'billing.reconcile', orgId: ada.orgId }]),
		)
		expect((await dying).retryMessages).toHaveLength(1)
		expect(reported()).toEqual([9])
		const message = { type: 'billing.reconcile', orgId: ada.orgId } as const
		await Promise.all([world.deliver([message]), world.deliver([message])])
		expect(reported()).toEqual([9])
		stripe.requests.length = 0
		await world.deliver([message])
		expect(stripe.requests.filter((line) => line.includes('meter'))).toEqual([])
	})

	test('usage is not marked as reported while Stripe knows neither the customer nor the meter', {
		tags: 'd1',
	}, async () => {
		const { stripe } = billing
		await reconcileAfter(DAY)
		await encode(9)
		const known = [...stripe.customers]
		stripe.customers.clear()
		expect((await reconcileAfter(DAY)).filter((line) => line.includes('meter'))).toEqual([])
		for (const [id, value] of known) stripe.customers.set(id, value)
		stripe.hasMeters = false
		await reconcileAfter(HOUR)
		stripe.hasMeters = true
		await reconcileAfter(DAY)
		expect(reported()).toContain(9)
	})

	test('usage between two subscriptions is not reported to Stripe', { tags: 'd1' }, async () => {
		const { stripe, settle, checkOut, sessionAt, ada } = billing
		await reconcileAfter(DAY)
		stripe.update(subscription, { status: 'canceled' })
		await settle()
		await encode(30)
		stripe.paySession(sessionAt((await checkOut(ada)).ok.data.url))
		await settle()
		await reconcileAfter(DAY)
		expect(reported()).toEqual([])
	})
})

describe('the end of an organization', () => {
	const close = () =>
		billing.world.perform(({ db, now }) => db.batch([closeCustomersStatement(db, sql`true`, now)]))
	const pending = async () =>
		(await billing.world.deps(({ db }) => db.all('select * from billing_closures'))).length

	test('the end of an organization cancels its subscription, closes its pages and keeps its customer', async () => {
		const { stripe } = billing
		stripe.sessions.set('cs_open', { ...stripe.session('cs_00000002'), id: 'cs_open', status: 'open' })
		await close()
		await reconcileAfter(MINUTE)
		expect(stripe.subscription(subscription).status).toBe('canceled')
		expect(stripe.session('cs_open').status).toBe('expired')
		expect(stripe.customers.get(customer)?.deleted).toBe(false)
		expect(await pending()).toBe(0)
	})

	test('the end of an organization is repeated until Stripe answers', { tags: 'd1' }, async () => {
		const { stripe } = billing
		await close()
		stripe.isDown = true
		await reconcileAfter(MINUTE)
		expect(await pending()).toBe(1)
		stripe.isDown = false
		await reconcileAfter(HOUR)
		expect([stripe.subscription(subscription).status, await pending()]).toEqual(['canceled', 0])
	})

	test('the end of an organization completes for a deleted customer, but not with the key of another account', {
		tags: 'd1',
	}, async () => {
		const { stripe } = billing
		const known = [...stripe.customers]
		stripe.customers.clear()
		await close()
		await reconcileAfter(MINUTE)
		expect(await pending()).toBe(1)
		for (const [id, value] of known) stripe.customers.set(id, value)
		stripe.deleteCustomer(customer)
		await reconcileAfter(HOUR)
		expect(await pending()).toBe(0)
	})
})
