import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { requireProvider } from './configuration.ts'
import type { Provider } from './provider.ts'
import { type BillingState, deriveBillingState } from './state.ts'
import { billingStore } from './store.ts'
import { openStripe } from './stripe/stripe-provider.ts'
import { describeUnknownCustomer } from './unknown-customer.ts'

/** A comparison that somebody requests within this time of the last one returns its result. */
const FRESH_MS = 3 * SECOND

/** Compares an organization with the provider. Does nothing if billing is not set up, or it is no customer. */
export async function syncOrg(deps: Deps, orgId: string): Promise<void> {
	const provider = openStripe(deps)
	if (provider) await syncWithProvider(deps, provider, orgId)
}

/** Compares an organization with the provider because a person waits for it. */
export async function syncIfStale(deps: Deps, orgId: string): Promise<void> {
	const provider = requireProvider(deps)
	const account = await billingStore(deps.db).find(orgId)
	const isFresh = account?.syncedAt && deps.now - account.syncedAt < FRESH_MS
	if (account && !isFresh) await syncWithProvider(deps, provider, orgId)
}

/**
 * Fetches the state and stores what follows from it. The comparison is counted before anything is fetched, so that neither
 * the order of events nor slow comparisons matter: the state of the one that began last stays. Returns whether the provider
 * has the customer.
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
	// What is paid for then ends some days after its period, and not because of a wrong key.
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
		// The kept one may have ended meanwhile, and this one be what the organization still has.
		const latest = deriveBillingState(await provider.fetchSnapshot(customerId))
		const surplus = latest.surplus.find((each) => each.id === id)
		if (latest.subscription?.id !== keptSubscriptionId || !surplus) return
		log.error('an organization is subscribed twice', new Error('surplus subscription cancelled'), {
			orgId,
			subscriptionId: id,
			keptSubscriptionId,
		})
		// A trial and an unpaid bill leave nothing to credit.
		await provider.cancel(id, { creditsRest: surplus.status === 'active' })
	}
}
