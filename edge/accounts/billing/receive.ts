import { MAX_BILLING_EVENT_BYTES } from '#schema/contract/accounts/billing.ts'
import { readBytes } from '../../http/body/bytes-body.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { requireProvider } from './configuration.ts'
import { adoptCustomer } from './customer.ts'
import { billingStore } from './store.ts'

const MAX_SIGNATURE_LENGTH = 2_000

/** `known`: the event was received before. `ignored`: it concerns no organization. */
type Receipt = 'accepted' | 'known' | 'ignored'

/**
 * Receives an event. Its signature is checked before anything is looked up or parsed. The event only signals a
 * change; the follower of `billing.changed` fetches the state. Stripe is queried only for unknown customers.
 */
export async function receiveEvent(deps: Deps, request: Request): Promise<Receipt> {
	const { db, work, now, log } = deps
	const provider = requireProvider(deps)
	const signature = request.headers.get('stripe-signature')
	if (!signature || signature.length > MAX_SIGNATURE_LENGTH) throw unsignedError()
	const body = await readBytes(request, MAX_BILLING_EVENT_BYTES)
	const event = await provider.readEvent(body, signature, now)
	if (!event) throw unsignedError()
	// A dispute names a charge but no customer. The operator decides what to do.
	if (event.type === 'charge.dispute.created')
		log.warn('a payment is disputed', { billingEventId: event.id, disputeId: event.objectId ?? '' })
	const store = billingStore(db)
	const { customerId } = event
	const orgId =
		customerId === null
			? null
			: ((await store.findOrgOfCustomer(customerId)) ?? (await adoptCustomer(deps, provider, customerId)))
	if (orgId === null) return 'ignored'
	return (await store.recordEvent(work, event, orgId)) ? 'accepted' : 'known'
}

const unsignedError = () => new AppError('unauthorized', 'the signature is not valid')
