import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePriceTier } from '../../../../edge/accounts/billing/plans.ts'
import type { Subscription } from '../../../../edge/accounts/billing/provider.ts'
import { deriveBillingState } from '../../../../edge/accounts/billing/state.ts'
import { listUnsettledMonths, toWholeMinutes } from '../../../../edge/accounts/billing/usage/usage.ts'
import { DAY, HOUR, MINUTE } from '../../../../edge/platform/clock.ts'

const subscription = (change: Partial<Subscription>): Subscription => ({
	id: 'sub_1',
	status: 'active',
	tier: 'pro',
	interval: 'month',
	createdAt: 0,
	currentPeriodStart: 0,
	currentPeriodEnd: 30 * DAY,
	cancelAt: null,
	unpaidSince: null,
	...change,
})
const paidWith = (change: Partial<Subscription>) =>
	deriveBillingState({ customer: 'exists', subscriptions: [subscription(change)] }).paid

test.each(['unpaid', 'paused', 'incomplete', 'incomplete_expired', 'canceled', 'a new status'])(
	'the subscription status %s gives no tier',
	(status) => expect(paidWith({ status })).toBeNull(),
)

test('a paid tier outlives its period by 14 days, but not a cancellation', () => {
	expect(paidWith({})).toEqual({ tier: 'pro', until: 44 * DAY })
	expect(paidWith({ status: 'trialing', cancelAt: 20 * DAY })).toEqual({ tier: 'pro', until: 20 * DAY })
})

test('the grace period begins with the oldest unpaid invoice, or with the period if that is not known', () => {
	expect(paidWith({ status: 'past_due', unpaidSince: 3 * DAY })).toEqual({ tier: 'pro', until: 17 * DAY })
	expect(paidWith({ status: 'past_due', currentPeriodStart: DAY })).toEqual({ tier: 'pro', until: 15 * DAY })
})

test('the order of the list does not change which subscription counts, and the others are surplus', () => {
	const all = [
		subscription({ id: 'late', status: 'past_due', tier: 'business' }),
		subscription({ id: 'older', createdAt: 1 }),
		subscription({ id: 'newer', createdAt: 2 }),
		subscription({ id: 'tried', status: 'trialing', tier: 'business', createdAt: 3 }),
		subscription({ id: 'over', status: 'canceled', tier: 'business' }),
		subscription({ id: 'foreign', tier: null }),
	]
	fc.assert(
		fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (subscriptions) => {
			const state = deriveBillingState({ customer: 'exists', subscriptions })
			expect(state.subscription?.id).toBe('tried')
			expect(state.surplus.map(({ id }) => id)).toEqual(['older', 'newer', 'late'])
			expect(state.unknownIds).toEqual(['foreign'])
		}),
	)
})

test('no subscription is surplus while none is paid', () => {
	const subscriptions = ['a', 'b'].map((id) => subscription({ id, status: 'incomplete' }))
	expect(deriveBillingState({ customer: 'exists', subscriptions }).surplus).toEqual([])
})

test.each([
	['playhouse_pro_month', {}, 'pro'],
	['playhouse_business_year', { playhouse_tier: 'pro' }, 'business'],
	[null, { playhouse_tier: 'business' }, 'business'],
	['playhouse_self-hosted_month', {}, null],
	['playhouse_free_month', {}, null],
	['playhouse_encode_minutes_month', {}, null],
	['other_playhouse_pro_month', { playhouse_tier: 'self-hosted' }, null],
	[null, {}, null],
] as const)('the price %s with the metadata %j belongs to the tier %s', (lookupKey, metadata, tier) =>
	expect(parsePriceTier({ lookupKey, metadata })).toBe(tier),
)

test('usage of the last day of a month is read again while deliveries may still arrive', () => {
	const first = Date.UTC(2037, 11, 1)
	const december = (day: string) => ({ day: `2037-12-${day}`, month: '2037-12' })
	const november = { day: '2037-11-30', month: '2037-11' }
	expect(listUnsettledMonths(first - HOUR)).toEqual([november])
	expect(listUnsettledMonths(first + HOUR)).toEqual([november, december('01')])
	expect(listUnsettledMonths(first + 3 * DAY - 1)).toEqual([november, december('03')])
	expect(listUnsettledMonths(first + 3 * DAY)).toEqual([december('04')])
})

test('the whole minutes of days add up to those of their month', () => {
	fc.assert(
		fc.property(fc.array(fc.nat({ max: 5 * MINUTE }), { minLength: 1 }), (days) => {
			let totalMs = 0
			let minutes = 0
			for (const ms of days) {
				minutes += toWholeMinutes({ startMs: totalMs, endMs: totalMs + ms })
				totalMs += ms
			}
			expect(minutes).toBe(Math.floor(totalMs / MINUTE))
		}),
	)
})
