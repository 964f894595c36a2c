import { notFoundError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import type { Provider } from './provider.ts'
import { billingStore } from './store.ts'

/**
 * Returns the customer of an organization. It is created before the first checkout, so that each event of a subscription
 * names a known customer. Two calls at once create one.
 */
export async function ensureCustomer(
	{ db, now }: Pick<Deps, 'db' | 'now'>,
	provider: Provider,
	orgId: string,
): Promise<string> {
	const store = billingStore(db)
	const account = await store.open(orgId, now)
	if (!account) throw notFoundError('organization')
	if (account.customerId !== null) return account.customerId
	const key = `playhouse-customer-${orgId}-${account.customerGeneration}`
	const stored = await store.setCustomer(orgId, await provider.createCustomer(orgId, key))
	if (stored === null) throw notFoundError('organization')
	return stored
}
