import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { Log } from '../../../platform/log.ts'
import type { Provider, Snapshot, UsageMetric } from '../provider.ts'
import { buildCheckoutParams, listLookupKeys } from './checkout.ts'
import { type StripeClient, stripeClient } from './client.ts'
import { readStripeEvent } from './events.ts'
import { readSubscription } from './snapshot.ts'

/** The most that Stripe returns at once. No customer has as many subscriptions, sessions or unpaid invoices. */
const PAGE = 100

/** The metadata of a customer that names its organization. */
const OWNER_FIELD = 'playhouse_org'

const meterOf: Record<UsageMetric, string> = {
	encode: 'playhouse_encode_minutes',
	delivery: 'playhouse_delivery_minutes',
}

/** Returns Stripe as the payment provider, or null if it is not set up. */
export function openStripe({ env, fetch, log }: Pick<Deps, 'env' | 'fetch' | 'log'>): Provider | null {
	const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = env.vars
	if (!secretKey || !webhookSecret) return null
	const client = stripeClient(secretKey, fetch, log)
	return {
		async createCustomer(orgId, key) {
			// Equal keys need equal parameters, so nothing here may depend on the caller.
			const customer = await client.ask((stripe) =>
				stripe.customers.create(
					{ metadata: { [OWNER_FIELD]: orgId } },
					// Stripe rejects a key while another request with it runs.
					{ idempotencyKey: key, maxNetworkRetries: 1 },
				),
			)
			return required(customer).id
		},

		async findCustomer(orgId) {
			// The search index may be a minute behind, so a customer in it may already be deleted.
			for (const id of await searchCustomers(client, orgId, log))
				if ((await fetchOwner(client, id)) === orgId) return id
			return null
		},

		fetchOwner: (customerId) => fetchOwner(client, customerId),

		fetchSnapshot: (customerId) => fetchSnapshot(client, customerId),

		async openCheckout(request) {
			const lookup_keys = listLookupKeys(request)
			const prices = await client.ask((stripe) => stripe.prices.list({ lookup_keys, active: true }))
			const params = buildCheckoutParams(request, required(prices).data)
			if (!params) return null
			const session = required(
				await client.ask((stripe) =>
					stripe.checkout.sessions.create(params, { idempotencyKey: request.key }),
				),
			)
			return { id: session.id, url: required(session.url) }
		},

		expireCheckout: (sessionId) => expire(client, sessionId),

		async expireCheckouts(customerId, knownSessionId) {
			const open = await client.ask((stripe) =>
				stripe.checkout.sessions.list({ customer: customerId, status: 'open', limit: PAGE }),
			)
			const ids = new Set([
				...(open?.data.map(({ id }) => id) ?? []),
				...(knownSessionId ? [knownSessionId] : []),
			])
			const ends = await Promise.all([...ids].map((id) => expire(client, id)))
			return ends.every(Boolean)
		},

		async openPortal(customerId, returnUrl) {
			const session = await client.ask((stripe) =>
				stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl }),
			)
			return required(session).url
		},

		async cancel(subscriptionId, { creditsRest }) {
			await client.ask((stripe) =>
				stripe.subscriptions.cancel(subscriptionId, { prorate: creditsRest, invoice_now: creditsRest }),
			)
		},

		async reportUsage({ customerId, metric, dayStart, minutes }) {
			// The meter keeps the last value of a day, so sending it again changes nothing.
			required(
				await client.ask((stripe) =>
					stripe.billing.meterEvents.create({
						event_name: meterOf[metric],
						payload: { stripe_customer_id: customerId, value: String(minutes) },
						timestamp: dayStart / SECOND,
					}),
				),
			)
		},

		readEvent: (body, signature, now) => readStripeEvent(client, webhookSecret, body, { signature, now }),
	}
}

/** Returns the customers of an organization, the oldest first. */
async function searchCustomers(client: StripeClient, orgId: string, log: Log): Promise<string[]> {
	const found = await client.ask(async (stripe, sdk) => {
		try {
			return await stripe.customers.search({ query: `metadata['${OWNER_FIELD}']:'${orgId}'`, limit: PAGE })
		} catch (error) {
			if (!(error instanceof sdk.errors.StripeInvalidRequestError)) throw error
			// Stripe offers no search in some countries. There, only events reveal a customer that the database lost.
			log.warn('Stripe refused to search for a customer', { stripeCode: error.code })
			return null
		}
	})
	return (found?.data ?? []).toSorted((a, b) => a.created - b.created).map(({ id }) => id)
}

async function fetchOwner(client: StripeClient, customerId: string): Promise<string | null> {
	const customer = await client.ask((stripe) => stripe.customers.retrieve(customerId))
	return !customer || customer.deleted ? null : (customer.metadata[OWNER_FIELD] ?? null)
}

async function fetchSnapshot(client: StripeClient, customerId: string): Promise<Snapshot> {
	const of = { customer: customerId, limit: PAGE }
	const [customer, subscriptions] = await Promise.all([
		client.ask((stripe) => stripe.customers.retrieve(customerId)),
		client.ask((stripe) => stripe.subscriptions.list({ ...of, status: 'all' })),
	])
	const found = subscriptions?.data ?? []
	const invoices = found.some(({ status }) => status === 'past_due')
		? await client.ask((stripe) => stripe.invoices.list({ ...of, status: 'open' }))
		: null
	return {
		customer: customer === null ? 'unknown' : customer.deleted ? 'deleted' : 'exists',
		subscriptions: found.map((subscription) => readSubscription(subscription, invoices?.data ?? [])),
	}
}

/** Returns whether the session can no longer be paid. A completed one can't be expired. */
async function expire(client: StripeClient, id: string): Promise<boolean> {
	const session = await client.ask(async (stripe, sdk) => {
		try {
			return await stripe.checkout.sessions.expire(id)
		} catch (error) {
			// Stripe refuses with an error unless the session is open.
			if (error instanceof sdk.errors.StripeInvalidRequestError) return stripe.checkout.sessions.retrieve(id)
			throw error
		}
	})
	return session === null || session.status === 'expired' || session.status === 'complete'
}

function required<T>(value: T | null): T {
	if (value === null) throw new Error('Stripe does not have a required object')
	return value
}
