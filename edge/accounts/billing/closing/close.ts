import { HOUR } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { Log } from '../../../platform/log.ts'
import { runOrLog } from '../../../platform/work/sweep.ts'
import type { Provider } from '../provider.ts'
import { hasEnded } from '../state.ts'
import { describeUnknownCustomer } from '../unknown-customer.ts'
import { closeStore } from './close-store.ts'

const AT_ONCE = 20

/**
 * Cancels the subscriptions of deleted organizations. The customer stays at the provider with its invoices, which the law
 * requires to be kept.
 */
export async function closeCustomers({ db, now, log }: Deps, provider: Provider): Promise<void> {
	const store = closeStore(db)
	const message = 'the subscription of a deleted organization could not be cancelled'
	for (const { customerId } of await store.claimDue(now, HOUR, AT_ONCE))
		await runOrLog(log, message, { customerId }, async () => {
			if (await closeCustomer(provider, customerId, log)) await store.finish(customerId)
		})
}

/** Returns false if a subscription may follow or remain: a session is being paid, or the customer is unknown. */
async function closeCustomer(provider: Provider, customerId: string, log: Log): Promise<boolean> {
	if (!(await provider.expireCheckouts(customerId, null))) return false
	const { customer, subscriptions } = await provider.fetchSnapshot(customerId)
	if (customer === 'unknown') {
		log.error(...describeUnknownCustomer(customerId))
		return false
	}
	for (const subscription of subscriptions)
		if (!hasEnded(subscription)) await provider.cancel(subscription.id, { creditsRest: false })
	return true
}
