import type { BillingInterval, PaidTier } from '#schema/contract/accounts/billing.ts'
import { DAY } from '../../platform/clock.ts'
import { tierRank } from './plans.ts'
import type { Snapshot, Subscription } from './provider.ts'

/** How long a failed payment keeps the tier, and how long a tier outlives its period without news from Stripe. */
const GRACE_MS = 14 * DAY

/** What a snapshot means for an organization. */
export type BillingState = {
	isCustomerDeleted: boolean
	/** The subscription that counts; null without one that could still be paid. */
	subscription: {
		id: string
		status: string
		tier: PaidTier | null
		interval: BillingInterval | null
		currentPeriodEnd: number
		cancelAt: number | null
		graceUntil: number | null
	} | null
	/** Whether there has ever been a subscription. */
	hasSubscribed: boolean
	/** The paid tier, and its latest possible end. */
	paid: { tier: PaidTier; until: number } | null
	/** Other subscriptions that could charge the organization a second time. */
	surplus: readonly Pick<Subscription, 'id' | 'status'>[]
	/** Subscriptions whose prices belong to no tier. */
	unknownIds: readonly string[]
}

/** Whether a subscription has ended for good. */
export const hasEnded = ({ status }: Pick<Subscription, 'status'>): boolean =>
	['canceled', 'incomplete_expired'].includes(status)
/** Whether a subscription grants its tier, at least for now. */
export const isPaying = ({ status }: Pick<Subscription, 'status'>): boolean =>
	['active', 'trialing', 'past_due'].includes(status)

/** Derives the state from a snapshot alone, so that the order and number of events do not matter. */
export function deriveBillingState({ customer, subscriptions }: Snapshot): BillingState {
	const live = subscriptions.filter((each) => !hasEnded(each))
	const ours = live.filter(({ tier }) => tier !== null).toSorted(compare)
	const unknownIds = live.filter(({ tier }) => tier === null).map(({ id }) => id)
	const [best, ...others] = ours
	const chosen = best ?? live[0] ?? null
	const graceUntil = chosen ? graceUntilOf(chosen) : null
	return {
		isCustomerDeleted: customer === 'deleted',
		subscription: chosen && {
			id: chosen.id,
			status: chosen.status,
			tier: chosen.tier,
			interval: chosen.interval,
			currentPeriodEnd: chosen.currentPeriodEnd,
			cancelAt: chosen.cancelAt,
			graceUntil,
		},
		hasSubscribed: subscriptions.length > 0,
		paid: chosen && paidBy(chosen, graceUntil),
		surplus: best && isPaying(best) ? others : [],
		unknownIds,
	}
}

/** Orders the subscription that counts first, independent of when it is called. */
function compare(a: Subscription, b: Subscription): number {
	return (
		standingOf(a) - standingOf(b) ||
		tierRank(b.tier) - tierRank(a.tier) ||
		a.createdAt - b.createdAt ||
		(a.id < b.id ? -1 : 1)
	)
}

/** Paid ones and trials come first, then those with an unpaid invoice, then the rest. */
const standingOf = ({ status }: Subscription): number =>
	status === 'active' || status === 'trialing' ? 0 : status === 'past_due' ? 1 : 2

const graceUntilOf = ({ status, unpaidSince, currentPeriodStart }: Subscription): number | null =>
	status === 'past_due' ? (unpaidSince ?? currentPeriodStart) + GRACE_MS : null

function paidBy(
	{ tier, status, cancelAt, currentPeriodEnd }: Subscription,
	graceUntil: number | null,
): BillingState['paid'] {
	if (tier === null || !isPaying({ status })) return null
	return { tier, until: graceUntil ?? cancelAt ?? currentPeriodEnd + GRACE_MS }
}
