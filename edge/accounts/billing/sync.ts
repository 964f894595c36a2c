import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { requireProvider } from './configuration.ts'
import type { Provider } from './provider.ts'
import { type BillingState, deriveBillingState } from './state.ts'
import { billingStore } from './store.ts'
import { openStripe } from './stripe/stripe-provider.ts'
import { describeUnknownCustomer } from './unknown-customer.ts'

/** Within this time of the last comparison, a request returns its result. */
const FRESH_MS = 3 * SECOND

/** Compares an organization with the provider. Does nothing without billing or without a customer. */
export async function syncOrg(deps: Deps, orgId: string): Promise<void> {
	const provider = openStripe(deps)
	if (provider) await syncWithProvider(deps, provider, orgId)
}

/** Compares an organization with the provider while a person waits. */
export async function syncIfStale(deps: Deps, orgId: string): Promise<void> {
	const provider = requireProvider(deps)
	const account = await billingStore(deps.db).find(orgId)
	const isFresh = account?.syncedAt && deps.now - account.syncedAt < FRESH_MS
	if (account && !isFresh) await syncWithProvider(deps, provider, orgId)
}

/**
 * Fetches and stores the state. The comparison is counted before the fetch, so neither the order of events nor slow
 * comparisons matter: the one that began last wins. Returns whether the customer exists at the provider.
 */
export async function syncWithProvider(deps: Deps, provider: Provider, orgId: string): Promise<boolean> {
	const { db, work, now, log } = deps
	const store = billingStore(db)
	const account = await store.beginSync(orgId)
	if (!account?.customerId) {
		await store.postpone(orgId, now)
		return false
	}
	const { customerId } = account
	const snapshot = await provider.fetchSnapshot(customerId)
	// A wrong key must not end a paid tier early; it ends some days after its period.
	if (snapshot.customer === 'unknown') {
		log.error(...describeUnknownCustomer(customerId))
		return false
	}
	const state = deriveBillingState(snapshot)
	const isStored = await store.storeState(work, account, state)
	if (isStored) await cancelSurplus(deps, provider, { orgId, customerId }, state)
	return snapshot.customer === 'exists'
}

async function cancelSurplus(
	{ log }: Deps,
	provider: Provider,
	{ orgId, customerId }: { orgId: string; customerId: string },
	state: BillingState,
): Promise<void> {
	for (const id of state.unknownIds)
		log.error('the price of a subscription belongs to no tier', new Error('unknown price'), {
			orgId,
			subscriptionId: id,
		})
	const keptSubscriptionId = state.subscription?.id
	for (const { id } of state.surplus) {
		// The kept one may have ended since, so that this one may be the organization's only one.
		const latest = deriveBillingState(await provider.fetchSnapshot(customerId))
		const surplus = latest.surplus.find((each) => each.id === id)
		if (latest.subscription?.id !== keptSubscriptionId || !surplus) return
		log.error('an organization is subscribed twice', new Error('surplus subscription cancelled'), {
			orgId,
			subscriptionId: id,
			keptSubscriptionId,
		})
		// A trial or an unpaid invoice leaves nothing to credit.
		await provider.cancel(id, { creditsRest: surplus.status === 'active' })
	}
}
