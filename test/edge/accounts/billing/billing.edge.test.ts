import { beforeEach, describe, expect, test } from 'vitest'
import { createCheckout, createPortal, getBilling, syncBilling } from '#schema/contract/accounts/billing.ts'
import { switchOrg } from '#schema/contract/accounts/identity.ts'
import { createOrg, getOrgUsage } from '#schema/contract/accounts/orgs.ts'
import { crons } from '../../../../edge/http/feature.ts'
import { DAY, SECOND } from '../../../../edge/platform/clock.ts'
import { type BillingWorld, openBillingWorld } from './billing-world.ts'
import { MONTH_SECONDS } from './stripe-stand-in.ts'

let billing: BillingWorld
beforeEach(async () => {
	billing = await openBillingWorld()
})

const tierOf = async () => {
	const { world, ada } = billing
	return (await world.ask(getOrgUsage, { params: { orgId: ada.orgId } }, ada)).ok.data.tier
}

/** Buys a tier through a checkout, and returns the id of the subscription. */
async function buy(tier: 'pro' | 'business' = 'pro'): Promise<string> {
	const { checkOut, sessionAt, stripe, ada, settle } = billing
	const { url } = (await checkOut(ada, tier)).ok.data
	const subscription = stripe.paySession(sessionAt(url))
	await settle()
	return subscription ?? ''
}

/** Creates another organization of Ada's. */
const secondOrg = async (): Promise<string> =>
	(await billing.world.ask(createOrg, { body: { name: 'Another' } }, billing.ada)).ok.data.id

/** Begins a checkout for an organization of Ada's, in a new session. */
async function checkOutAs(orgId: string) {
	const { world, ada, checkOut, sessionAt } = billing
	const session = { token: await world.logIn(ada) }
	const { token } = (await world.ask(switchOrg, { body: { orgId } }, session)).ok.data
	return sessionAt((await checkOut({ ...ada, token })).ok.data.url)
}

describe('a checkout', () => {
	test('a checkout first creates the customer, and names the organization and the return URL', {
		tags: 'd1',
	}, async () => {
		const { checkOut, stripe, ada, sessionAt } = billing
		const { ok } = await checkOut(ada)
		const session = stripe.session(sessionAt(ok.data.url))
		expect(stripe.requests.indexOf('POST /v1/customers')).toBeLessThan(
			stripe.requests.indexOf('POST /v1/checkout/sessions'),
		)
		expect(stripe.customers.get(session.customer)?.metadata).toEqual({ playhouse_org: ada.orgId })
		expect(session).toMatchObject({ price: { lookupKey: 'playhouse_pro_month' }, lines: 1, trialDays: null })
	})

	test('a checkout gives the organization its tier as soon as it is paid', { tags: 'd1' }, async () => {
		expect(await tierOf()).toBe('free')
		await buy('business')
		expect(await tierOf()).toBe('business')
	})

	test('the page to which people return after a checkout gives the tier before any event arrives', {
		tags: 'd1',
	}, async () => {
		const { checkOut, sessionAt, stripe, ada, world } = billing
		stripe.paySession(sessionAt((await checkOut(ada)).ok.data.url))
		const { ok } = await world.ask(syncBilling, {}, ada)
		expect(ok.data).toMatchObject({ tier: 'pro', subscription: { status: 'active', tier: 'pro' } })
	})

	test('a checkout includes prices for usage if there are any', { tags: 'd1' }, async () => {
		const { checkOut, sessionAt, stripe, ada } = billing
		stripe.prices.push('playhouse_delivery_minutes_month', 'playhouse_encode_minutes_year')
		const { ok } = await checkOut(ada)
		expect(stripe.session(sessionAt(ok.data.url)).lines).toBe(2)
	})

	test('a checkout gives a trial to the first subscription only', { tags: 'd1' }, async () => {
		const { checkOut, sessionAt, stripe, ada, world, settle } = billing
		world.set({ BILLING_TRIAL_DAYS: '14' })
		const first = sessionAt((await checkOut(ada)).ok.data.url)
		expect(stripe.session(first).trialDays).toBe(14)
		stripe.update(stripe.paySession(first) ?? '', { status: 'canceled' }, 'customer.subscription.deleted')
		await settle()
		// The end of the trial came before anybody saw it.
		const second = sessionAt((await checkOut(ada)).ok.data.url)
		expect(stripe.session(second).trialDays).toBeNull()
		// The same person has another organization.
		expect(stripe.session(await checkOutAs(await secondOrg())).trialDays).toBeNull()
		const eve = await world.person()
		expect(stripe.session(sessionAt((await checkOut(eve)).ok.data.url)).trialDays).toBe(14)
	})

	test('a person who begins checkouts of two organizations at once gets one trial', async () => {
		const { stripe, ada, world, settle } = billing
		world.set({ BILLING_TRIAL_DAYS: '14' })
		const orgIds = [ada.orgId, await secondOrg()]
		const trialOf = async (orgId: string) => stripe.session(await checkOutAs(orgId)).trialDays
		const trials = await Promise.all(orgIds.map(trialOf))
		expect(trials.toSorted()).toEqual([14, null])
		const tried = orgIds[trials.indexOf(14)] ?? ''
		const untried = orgIds[trials.indexOf(null)] ?? ''
		// Nobody paid, so the person may still choose: at once for the same organization, and for the other one once no page
		// with a trial can be paid any more.
		expect(await trialOf(tried)).toBe(14)
		world.pass(2 * DAY)
		expect(await trialOf(untried)).toBeNull()
		world.pass(DAY)
		expect(await trialOf(untried)).toBe(14)
		stripe.paySession(await checkOutAs(untried))
		await settle()
		world.pass(30 * DAY)
		expect(await trialOf(tried)).toBeNull()
		// The row of the account goes with its organization.
		await world.deps(({ db }) =>
			db.all(`delete from billing_accounts where org_id = '${untried}' returning 1`),
		)
		expect(await trialOf(tried)).toBeNull()
	})

	test('a checkout is rejected while the organization has a subscription', { tags: 'd1' }, async () => {
		const { checkOut, ada } = billing
		await buy()
		const again = await checkOut(ada)
		expect([again.status, again.code]).toEqual([409, 'conflict'])
		expect(again.text).toContain('portal')
	})

	test('a checkout is rejected for a tier without a price', { tags: 'd1' }, async () => {
		const { checkOut, stripe, ada } = billing
		stripe.prices = []
		expect((await checkOut(ada)).code).toBe('not_configured')
	})

	test('a checkout is rejected for an organization of the tier without limits', { tags: 'd1' }, async () => {
		const { checkOut, ada, world } = billing
		await world.deps(({ db }) => db.all("update orgs set tier = 'self-hosted' returning 1"))
		expect((await checkOut(ada)).code).toBe('conflict')
	})

	test('a checkout creates a new customer after the former one was deleted at Stripe', async () => {
		const { checkOut, stripe, ada, account, settle } = billing
		await buy()
		const former = (await account(ada.orgId))?.customer_id ?? ''
		stripe.deleteCustomer(former)
		await settle()
		expect(await account(ada.orgId)).toMatchObject({ customer_id: null, paid_tier: null })
		expect((await checkOut(ada)).status).toBe(200)
		expect((await account(ada.orgId))?.customer_id).not.toBe(former)
	})
})

describe('an organization with a lost purchase', {
	tags: 'd1',
}, () => {
	/** Buys, then takes the account from the database and the key from Stripe, which forgets keys after a day. */
	async function buyAndForget(): Promise<void> {
		const { stripe, world, ada } = billing
		await buy('business')
		stripe.forgetKeys()
		await world.deps(({ db }) => db.all('delete from billing_accounts returning 1'))
		await world.deps(({ db }) =>
			db.all(
				`update orgs set paid_tier = null, paid_tier_until = null where id = '${ada.orgId}' returning 1`,
			),
		)
		expect(await tierOf()).toBe('free')
	}

	test('an organization with a lost purchase in a restored database can’t buy again, and soon has its tier', async () => {
		const { checkOut, stripe, ada, world } = billing
		await buyAndForget()
		expect((await checkOut(ada)).code).toBe('conflict')
		expect(stripe.customers.size).toBe(1)
		await world.cron(crons.eachTenMinutes)
		await world.deliver()
		expect(await tierOf()).toBe('business')
	})

	test('an organization with a lost purchase in a restored database has its tier after the next event', async () => {
		const { stripe, ada, account, settle } = billing
		await buyAndForget()
		const [customer] = stripe.customers.keys()
		stripe.emit('invoice.paid', { object: 'invoice', id: 'in_1', customer })
		await settle()
		expect(await account(ada.orgId)).toMatchObject({ customer_id: customer, paid_tier: 'business' })
	})

	test('a checkout creates a customer if the former one is deleted, or if Stripe offers no search', async () => {
		const { checkOut, stripe, ada, account } = billing
		await buyAndForget()
		const [former = ''] = stripe.customers.keys()
		stripe.deleteCustomer(former)
		expect((await checkOut(ada)).status).toBe(200)
		expect((await account(ada.orgId))?.customer_id).not.toBe(former)
		stripe.hasSearch = false
		const eve = await billing.world.person()
		expect((await checkOut(eve)).status).toBe(200)
	})
})

describe('several checkouts', () => {
	test('two consecutive checkouts leave one page that can be paid', { tags: 'd1' }, async () => {
		const { checkOut, sessionAt, stripe, ada } = billing
		const first = sessionAt((await checkOut(ada, 'pro')).ok.data.url)
		const second = sessionAt((await checkOut(ada, 'business')).ok.data.url)
		expect(stripe.paySession(first)).toBeNull()
		expect(stripe.paySession(second)).not.toBeNull()
	})

	test('two concurrent checkouts create one customer and return one page that can be paid', async () => {
		const { checkOut, stripe, ada, sessionAt } = billing
		const asked = await Promise.all([checkOut(ada, 'pro'), checkOut(ada, 'business'), checkOut(ada, 'pro')])
		expect(stripe.customers.size).toBe(1)
		const handedOut = asked.flatMap((each) => (each.status === 200 ? sessionAt(each.ok.data.url) : []))
		const open = [...stripe.sessions.values()].filter(({ status }) => status === 'open')
		expect(open.map(({ id }) => handedOut.includes(id))).toEqual([true])
	})

	test('two concurrent checkouts leave the page of the later one if the earlier one is slow', {
		tags: 'd1',
	}, async () => {
		const { checkOut, stripe, ada, sessionAt } = billing
		await checkOut(ada)
		let later: string | undefined
		stripe.beforeSession = async () => {
			stripe.beforeSession = async () => undefined
			later = sessionAt((await checkOut(ada, 'business')).ok.data.url)
		}
		expect((await checkOut(ada, 'pro')).status).toBe(409)
		const open = [...stripe.sessions.values()].filter(({ status }) => status === 'open')
		expect(open.map(({ id }) => id)).toEqual([later])
	})

	test('two paid checkouts end as one subscription, with credit for the other one', {
		tags: 'd1',
	}, async () => {
		const { stripe, ada, account, settle } = billing
		await buy('pro')
		const customer = (await account(ada.orgId))?.customer_id ?? ''
		stripe.subscribe(customer, 'business')
		await settle()
		expect(stripe.payingSubscriptions(customer).map(({ price }) => price.lookupKey)).toEqual([
			'playhouse_business_month',
		])
		expect(await tierOf()).toBe('business')
		expect(stripe.credited).toHaveLength(1)
	})

	test('two checkouts give no credit for what was never paid', { tags: 'd1' }, async () => {
		const { stripe, ada, account, settle } = billing
		const unpaid = await buy('pro')
		const customer = (await account(ada.orgId))?.customer_id ?? ''
		stripe.failPayment(unpaid)
		stripe.subscribe(customer, 'business')
		await settle()
		expect(stripe.subscription(unpaid).status).toBe('canceled')
		expect(stripe.credited).toEqual([])
	})

	test.each([
		['that a later comparison stored', true],
		['that no other comparison saw', false],
	])(
		'two checkouts keep the subscription that is still paid after a change %s',
		{ tags: 'd1' },
		async (_, isStored) => {
			const { stripe, ada, account, world } = billing
			const paid = await buy('pro')
			const customer = (await account(ada.orgId))?.customer_id ?? ''
			const other = stripe.subscribe(customer, 'business')
			const compare = () => world.ask(syncBilling, {}, ada)
			world.pass(60 * SECOND)
			stripe.beforeList = async () => {
				stripe.beforeList = async () => undefined
				stripe.update(other, { status: 'unpaid' })
				if (isStored) await compare()
			}
			await compare()
			expect([stripe.subscription(paid).status, stripe.subscription(other).status]).toEqual([
				'active',
				isStored ? 'canceled' : 'unpaid',
			])
		},
	)
})

describe('a subscription', { tags: 'd1' }, () => {
	test('a subscription keeps its tier for 14 days after a payment failed, and not longer', async () => {
		const { stripe, world, settle } = billing
		const subscription = await buy()
		world.pass(MONTH_SECONDS * SECOND)
		stripe.failPayment(subscription)
		await settle()
		world.pass(13 * DAY)
		stripe.failPayment(subscription)
		await settle()
		expect(await tierAfter(0)).toBe('pro')
		// Nothing happens at that time: no event, no scheduled task.
		expect(await tierAfter(DAY)).toBe('free')
	})

	test('a subscription gives its tier again when the bill is paid late', async () => {
		const { stripe, world, settle } = billing
		const subscription = await buy()
		world.pass(MONTH_SECONDS * SECOND)
		stripe.failPayment(subscription)
		await settle()
		expect(await tierAfter(15 * DAY)).toBe('free')
		stripe.payInvoices(subscription)
		await settle()
		expect(await tierAfter(0)).toBe('pro')
	})

	test('a cancelled subscription keeps its tier until its period ends', async () => {
		const { stripe, settle } = billing
		const subscription = await buy()
		stripe.update(subscription, { cancelAt: stripe.subscription(subscription).periodEnd })
		await settle()
		expect(await tierAfter((MONTH_SECONDS - 60) * SECOND)).toBe('pro')
		expect(await tierAfter(60 * SECOND)).toBe('free')
	})

	test('a subscription ends within 14 days after its period if Stripe sends nothing more', async () => {
		await buy()
		expect(await tierAfter(MONTH_SECONDS * SECOND + 13 * DAY)).toBe('pro')
		expect(await tierAfter(DAY)).toBe('free')
	})

	test('a change in the billing portal changes the tier and interval of the subscription', async () => {
		const { stripe, world, ada, settle } = billing
		expect((await world.ask(createPortal, {}, ada)).code).toBe('conflict')
		const subscription = await buy()
		const { ok } = await world.ask(createPortal, {}, ada)
		expect(ok.data.url).toContain(encodeURIComponent('https://app.example.org'))
		stripe.update(subscription, { price: { lookupKey: 'playhouse_business_year', interval: 'year' } })
		await settle()
		const read = (await world.ask(getBilling, {}, ada)).ok.data
		expect(read).toMatchObject({
			tier: 'business',
			subscription: { tier: 'business', interval: 'year', status: 'active', graceUntil: null },
		})
	})

	test('a subscription keeps its tier when its price passes the lookup key on to a newer price', async () => {
		const { stripe, settle } = billing
		const subscription = await buy('business')
		stripe.update(subscription, { price: { lookupKey: null, interval: 'month' } })
		await settle()
		expect(await tierOf()).toBe('business')
		stripe.update(subscription, { price: { lookupKey: null, tier: 'pro', interval: 'month' } })
		await settle()
		expect(await tierOf()).toBe('pro')
	})

	test('a subscription whose price belongs to no tier gives none, is not cancelled, and is logged', async () => {
		const { stripe, ada, account, settle, world } = billing
		const subscription = await buy()
		stripe.update(subscription, { price: { lookupKey: 'other', interval: 'month' }, metadata: {} })
		await settle()
		expect(await tierOf()).toBe('free')
		expect(stripe.subscription(subscription).status).toBe('active')
		expect(world.logs.some(({ message }) => message.includes('belongs to no tier'))).toBe(true)
		expect((await account(ada.orgId))?.subscription_id).toBe(subscription)
	})

	/** Sessions end after a while, so this asks the database. */
	async function tierAfter(ms: number): Promise<string | undefined> {
		const { world, ada } = billing
		world.pass(ms)
		const { getUsage } = await import('../../../../edge/accounts/orgs/usage/usage.ts')
		return (await world.perform((deps) => getUsage(deps, ada.orgId))).tier
	}
})

test('an installation without Stripe keys answers 501 to every billing operation, and changes nothing', {
	tags: 'd1',
}, async () => {
	const { world, ada } = billing
	world.set({ STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '' })
	for (const op of [getBilling, syncBilling, createPortal])
		expect([op.id, (await world.ask(op, {}, ada)).status]).toEqual([op.id, 501])
	expect((await world.ask(createCheckout, { body: { tier: 'pro', interval: 'month' } }, ada)).status).toBe(
		501,
	)
	expect((await billing.send(billing.stripe.emit('customer.updated', {}))).status).toBe(501)
})

test('a response reports that Stripe is down, and the log contains no key', { tags: 'd1' }, async () => {
	const { checkOut, stripe, ada, world } = billing
	stripe.isDown = true
	const asked = await checkOut(ada)
	expect([asked.status, asked.code]).toEqual([503, 'unavailable'])
	stripe.isDown = false
	expect((await checkOut(ada)).status).toBe(200)
	expect(JSON.stringify(world.logs)).not.toMatch(/sk_test_0|whsec_0/)
})
