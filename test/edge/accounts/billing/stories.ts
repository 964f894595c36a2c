import type { Stripe } from 'stripe'
import type { PaidTier } from '#schema/contract/accounts/billing.ts'
import { MONTH_SECONDS, type StripeStandIn } from './stripe-stand-in.ts'

/** A customer in the middle of a story. */
export type Life = { stripe: StripeStandIn; customer: string; subscriptions: string[] }
type Moment = (life: Life) => void

export type Story = {
	name: string
	moments: readonly Moment[]
	/** What applies in the end: the tier with what limits it, and the status that is shown. */
	ends: {
		tier: PaidTier | null
		until?: 'period' | 'cancellation' | 'grace'
		status: Stripe.Subscription.Status | null
	}
}

const latest = ({ subscriptions }: Life): string => subscriptions.at(-1) ?? ''

const begins =
	(tier: PaidTier, status: Stripe.Subscription.Status = 'active'): Moment =>
	(life) => {
		life.subscriptions.push(life.stripe.subscribe(life.customer, tier, { status }))
	}
const becomes =
	(status: Stripe.Subscription.Status, type?: string): Moment =>
	(life) =>
		life.stripe.update(latest(life), { status }, type)
const moves =
	(tier: PaidTier, interval: 'month' | 'year' = 'month'): Moment =>
	(life) =>
		life.stripe.update(latest(life), { price: { lookupKey: `playhouse_${tier}_${interval}`, interval } })
const fails: Moment = (life) => life.stripe.failPayment(latest(life))
const pays: Moment = (life) => life.stripe.payInvoices(latest(life))
const renews: Moment = (life) => {
	const { periodEnd } = life.stripe.subscription(latest(life))
	life.stripe.update(latest(life), { periodStart: periodEnd, periodEnd: periodEnd + MONTH_SECONDS })
}
const cancels: Moment = (life) =>
	life.stripe.update(latest(life), { cancelAt: life.stripe.subscription(latest(life)).periodEnd })
const staysAfterAll: Moment = (life) => life.stripe.update(latest(life), { cancelAt: null })
const ends: Moment = becomes('canceled', 'customer.subscription.deleted')
const expires: Moment = becomes('incomplete_expired')
const pauses: Moment = becomes('paused', 'customer.subscription.paused')
const continues: Moment = becomes('active', 'customer.subscription.resumed')
const disputes: Moment = (life) => {
	life.stripe.emit('charge.dispute.created', { object: 'dispute', id: 'dp_1' })
}
const isDeleted: Moment = (life) => life.stripe.deleteCustomer(life.customer)

const none = { tier: null, status: null } as const
const active = (tier: PaidTier) => ({ tier, until: 'period', status: 'active' }) as const
const overdue = (tier: PaidTier) => ({ tier, until: 'grace', status: 'past_due' }) as const
const story = (name: string, moments: readonly Moment[], ends: Story['ends']): Story => ({
	name,
	moments,
	ends,
})

/** What happens to customers. The end follows from the last moment alone, whatever the Worker hears of the others. */
export const stories: readonly Story[] = [
	story('buys pro', [begins('pro')], active('pro')),
	story('buys business and renews twice', [begins('business'), renews, renews], active('business')),
	story('proves the card by 3-D Secure', [begins('pro', 'incomplete'), becomes('active')], active('pro')),
	story('never proves the card', [begins('pro', 'incomplete'), expires], none),
	story('is asked for 3-D Secure', [begins('pro', 'incomplete')], { tier: null, status: 'incomplete' }),
	story(
		'proves the card with the second checkout',
		[begins('pro', 'incomplete'), expires, begins('pro')],
		active('pro'),
	),
	story('tries and buys', [begins('pro', 'trialing'), becomes('active')], active('pro')),
	story('tries', [begins('business', 'trialing')], { ...active('business'), status: 'trialing' }),
	story('tries and leaves', [begins('pro', 'trialing'), ends], none),
	story('tries and can’t pay', [begins('pro', 'trialing'), fails], overdue('pro')),
	story('tries without a card', [begins('pro', 'trialing'), pauses], { tier: null, status: 'paused' }),
	story('adds the card later', [begins('pro', 'trialing'), pauses, continues], active('pro')),
	story('upgrades', [begins('pro'), moves('business')], active('business')),
	story('downgrades', [begins('business'), moves('pro')], active('pro')),
	story('changes to yearly bills', [begins('pro'), moves('pro', 'year')], active('pro')),
	story('upgrades and regrets it', [begins('pro'), moves('business'), moves('pro')], active('pro')),
	story(
		'downgrades in the last trial days',
		[begins('business', 'trialing'), moves('pro'), becomes('active')],
		active('pro'),
	),
	story('is late', [begins('pro'), fails], overdue('pro')),
	story('is late twice', [begins('pro'), fails, fails], overdue('pro')),
	story('is late and pays', [begins('business'), fails, pays], active('business')),
	story('never pays', [begins('pro'), fails, becomes('unpaid')], { tier: null, status: 'unpaid' }),
	story('pays after all', [begins('pro'), fails, becomes('unpaid'), pays], active('pro')),
	story('is given up', [begins('pro'), fails, ends], none),
	story('cancels', [begins('pro'), cancels], { tier: 'pro', until: 'cancellation', status: 'active' }),
	story('cancels and stays after all', [begins('pro'), cancels, staysAfterAll], active('pro')),
	story('cancels and returns', [begins('pro'), cancels, ends, begins('business')], active('business')),
	story('disputes and loses the subscription', [begins('pro'), disputes, ends], none),
	story('disputes and stays', [begins('pro'), disputes, renews], active('pro')),
	story('pays two checkouts', [begins('pro'), begins('business')], active('business')),
	story('is deleted at Stripe', [begins('business'), fails, isDeleted], none),
]
