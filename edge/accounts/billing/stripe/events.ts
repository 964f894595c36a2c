import type { Stripe } from 'stripe'
import type { ProviderEvent } from '../provider.ts'
import type { StripeClient } from './client.ts'

/** How old a signature may be. */
const TOLERANCE_SECONDS = 300

/** Returns the event of a request, or null unless Stripe signed its raw body within the last five minutes. */
export async function readStripeEvent(
	client: StripeClient,
	webhookSecret: string,
	body: Uint8Array,
	{ signature, now }: { signature: string; now: number },
): Promise<ProviderEvent | null> {
	const { stripe, sdk } = await client.open()
	try {
		const event = await stripe.webhooks.constructEventAsync(
			new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body),
			signature,
			webhookSecret,
			TOLERANCE_SECONDS,
			sdk.createSubtleCryptoProvider(),
			now,
		)
		return { id: event.id, type: event.type, ...namesIn(event.data.object) }
	} catch {
		return null
	}
}

/** Reads only fields that every API version has, because the endpoint's version may differ from the SDK's. */
function namesIn(object: Stripe.Event.Data.Object): Pick<ProviderEvent, 'customerId' | 'objectId'> {
	const { object: kind, id, customer } = object as { object?: string; id?: string; customer?: unknown }
	const objectId = typeof id === 'string' ? id : null
	if (kind === 'customer') return { customerId: objectId, objectId }
	const named = typeof customer === 'object' && customer !== null && 'id' in customer ? customer.id : customer
	return { customerId: typeof named === 'string' ? named : null, objectId }
}
