import type { Stripe } from 'stripe'
import { BillingInterval, type PaidTier } from '#schema/contract/accounts/billing.ts'
import { SECOND } from '../../../platform/clock.ts'
import { chooseHigherTier, parsePriceTier, TIER_FIELD, toTier } from '../plans.ts'
import type { Subscription } from '../provider.ts'

const inMs = (seconds: number): number => seconds * SECOND

/** Converts a Stripe subscription, keeping only the fields that determine the tier. */
export function readSubscription(
	subscription: Stripe.Subscription,
	openInvoices: readonly Stripe.Invoice[],
): Subscription {
	const { id, status, created, cancel_at, items, metadata, start_date } = subscription
	const prices = items.data.map(({ price }) => ({
		tier: parsePriceTier({ lookupKey: price.lookup_key, metadata: price.metadata }),
		interval: price.recurring?.interval,
	}))
	const named = prices.reduce<PaidTier | null>((tier, price) => chooseHigherTier(tier, price.tier), null)
	// The price has lost its lookup key, but the checkout stored the tier in its metadata.
	const tier = named ?? toTier(metadata[TIER_FIELD])
	const interval = (prices.find((price) => price.tier === tier) ?? prices[0])?.interval
	const starts = items.data.map((item) => item.current_period_start)
	const ends = items.data.map((item) => item.current_period_end)
	return {
		id,
		status,
		tier,
		interval: BillingInterval.safeParse(interval).data ?? null,
		createdAt: inMs(created),
		currentPeriodStart: inMs(Math.min(...starts, ...(starts.length === 0 ? [start_date] : []))),
		currentPeriodEnd: inMs(Math.min(...ends, ...(ends.length === 0 ? [start_date] : []))),
		cancelAt: cancel_at === null ? null : inMs(cancel_at),
		unpaidSince: unpaidSince(openInvoices.filter((invoice) => subscriptionOf(invoice) === id)),
	}
}

function unpaidSince(invoices: readonly Stripe.Invoice[]): number | null {
	const due = invoices.map(({ created, status_transitions: { finalized_at } }) => finalized_at ?? created)
	return due.length === 0 ? null : inMs(Math.min(...due))
}

function subscriptionOf({ parent }: Stripe.Invoice): string | null {
	const subscription = parent?.subscription_details?.subscription
	return (typeof subscription === 'string' ? subscription : subscription?.id) ?? null
}
