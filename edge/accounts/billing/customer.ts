import { notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Provider } from './provider.ts'
import { hasEnded } from './state.ts'
import { billingStore } from './store.ts'

/**
 * Returns the customer of an organization. It exists before the first checkout, so that every subscription event
 * names a known customer. Concurrent calls create one. After a restore, the provider may have one that the database
 * lacks.
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
	const found = await provider.findCustomer(orgId)
	const key = `playhouse-customer-${orgId}-${account.customerGeneration}`
	const customerId = found ?? (await provider.createCustomer(orgId, key))
	const stored = await store.setCustomer(orgId, customerId, found === null ? account.reconcileAt : now)
	if (stored === null) throw notFoundError('organization')
	return stored
}

/**
 * Assigns the customer to the organization that it names, for example after a restore to a time before its first
 * checkout. Returns the organization, or null if none here has the customer.
 */
export async function adoptCustomer(
	{ db, now, log }: Pick<Deps, 'db' | 'now' | 'log'>,
	provider: Provider,
	customerId: string,
): Promise<string | null> {
	const orgId = await provider.fetchOwner(customerId)
	if (orgId === null) return null
	const store = billingStore(db)
	const isOpen = (await store.open(orgId, now)) !== undefined
	const stored = isOpen ? await store.setCustomer(orgId, customerId, now) : null
	if (stored === customerId) return orgId
	const { subscriptions } = await provider.fetchSnapshot(customerId)
	if (!subscriptions.every(hasEnded))
		log.error(
			'a customer of Stripe is subscribed for an organization that does not have this customer',
			new Error(
				stored === null ? 'the organization does not exist' : 'the organization has another customer',
			),
			{ customerId, orgId },
		)
	return null
}
