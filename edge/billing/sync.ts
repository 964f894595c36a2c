import { SECOND } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { requireProvider } from './configuration.ts'
import type { Provider } from './provider.ts'
import { billingStateOf, isPaying } from './state.ts'
import { billingStore } from './store.ts'
import { openStripe } from './stripe/stripe-provider.ts'
import { unknownCustomer } from './unknown-customer.ts'

/** A comparison that somebody requests within this time of the last one returns its result. */
const FRESH_MS = 3 * SECOND

/** Compares an organization with the provider. Does nothing if billing is not set up, or it is no customer. */
export async function syncOrg(deps: Deps, orgId: string): Promise<void> {
	const provider = openStripe(deps)
	if (provider) await sync(deps, provider, orgId)
}

/** Compares an organization with the provider because a person waits for it. */
export async function syncNow(deps: Deps, orgId: string): Promise<void> {
	const provider = requireProvider(deps)
	const account = await billingStore(deps.db).find(orgId)
	const isFresh = account?.syncedAt && deps.now - account.syncedAt < FRESH_MS
	if (account && !isFresh) await sync(deps, provider, orgId)
}

/**
 * Fetches the state and stores what follows from it. The comparison is counted before anything is fetched, so that neither
 * the order of events nor slow comparisons matter: the state of the one that began last stays.
 */
export async function sync(deps: Deps, provider: Provider, orgId: string): Promise<void> {
	const { db, now, log } = deps
	const store = billingStore(db)
	const account = await store.beginSync(orgId)
	if (!account?.customerId) return store.postpone(orgId, now)
	const snapshot = await provider.fetchSnapshot(account.customerId)
	// What is paid for then ends some days after its period, and not because of a wrong key.
	if (snapshot.customer === 'unknown') return log.error(...unknownCustomer(account.customerId))
	const state = billingStateOf(snapshot)
	await store.storeState(account, state, now)
	for (const id of state.unknownIds)
		log.error('the price of a subscription belongs to no tier', new Error('unknown price'), {
			orgId,
			subscriptionId: id,
		})
	for (const { id, status } of state.surplus) {
		log.error('an organization is subscribed twice', new Error('surplus subscription cancelled'), {
			orgId,
			subscriptionId: id,
			keptSubscriptionId: state.subscription?.id,
		})
		await provider.cancel(id, { creditsRest: isPaying({ status }) })
	}
}
