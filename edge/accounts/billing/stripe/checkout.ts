import type { Stripe } from 'stripe'
import { planLookupKey, TIER_FIELD, usageLookupKeys } from '../plans.ts'
import type { CheckoutRequest } from '../provider.ts'

/** Returns the lookup keys of the prices that a checkout may include. */
export const listLookupKeys = ({ plan }: CheckoutRequest): string[] => [
	planLookupKey(plan),
	...usageLookupKeys(plan.interval),
]

/** Returns the parameters of a session, or null if the plan has no active price. */
export function buildCheckoutParams(
	request: CheckoutRequest,
	prices: readonly Stripe.Price[],
): Stripe.Checkout.SessionCreateParams | null {
	const { orgId, customerId, plan, trialDays, computesTax, returnUrl } = request
	const base = prices.find((price) => price.lookup_key === planLookupKey(plan))
	if (!base) return null
	const usage = prices.filter(({ lookup_key: key }) => key && usageLookupKeys(plan.interval).includes(key))
	return {
		mode: 'subscription',
		customer: customerId,
		client_reference_id: orgId,
		line_items: [{ price: base.id, quantity: 1 }, ...usage.map(({ id }) => ({ price: id }))],
		success_url: withOutcome(returnUrl, 'completed'),
		cancel_url: withOutcome(returnUrl, 'cancelled'),
		allow_promotion_codes: true,
		subscription_data: {
			metadata: { playhouse_org: orgId, [TIER_FIELD]: plan.tier },
			...(trialDays !== null && {
				trial_period_days: trialDays,
				trial_settings: { end_behavior: { missing_payment_method: 'cancel' as const } },
			}),
		},
		...(computesTax && {
			automatic_tax: { enabled: true },
			tax_id_collection: { enabled: true },
			customer_update: { address: 'auto' as const, name: 'auto' as const },
		}),
	}
}

function withOutcome(returnUrl: string, outcome: 'completed' | 'cancelled'): string {
	const url = new URL(returnUrl)
	url.searchParams.set('checkout', outcome)
	return url.href
}
