import { z } from 'zod'
import { data, Timestamp } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { TierName } from './tiers.ts'

const operation = describeOperations('Billing')

/** The tiers that are for sale. */
export const PaidTier = z.enum(['pro', 'business'])
export type PaidTier = z.infer<typeof PaidTier>

export const BillingInterval = z.enum(['month', 'year'])
export type BillingInterval = z.infer<typeof BillingInterval>

export const Billing = z
	.object({
		tier: TierName.meta({ description: 'The tier whose limits apply now' }),
		subscription: z
			.object({
				tier: PaidTier.nullable().meta({ description: 'Null if its price belongs to no tier' }),
				interval: BillingInterval.nullable(),
				status: z.string().meta({
					description:
						'The status at Stripe. `active` and `trialing` give the tier; `past_due` keeps it until `graceUntil`; any other status gives none',
				}),
				currentPeriodEnd: Timestamp.nullable(),
				cancelAt: Timestamp.nullable().meta({ description: 'When the subscription ends; null if it renews' }),
				graceUntil: Timestamp.nullable().meta({
					description: 'Until when the tier is kept although a payment failed',
				}),
			})
			.nullable()
			.meta({ description: 'Null without a subscription that could still be paid' }),
		syncedAt: Timestamp.nullable().meta({ description: 'When this was last compared with Stripe' }),
	})
	.meta({ id: 'Billing' })
export type Billing = z.infer<typeof Billing>

export const getBilling = operation({
	id: 'getBilling',
	method: 'get',
	path: '/v1/billing',
	summary: 'Get the subscription of the organization',
	auth: 'org-admin-person',
	whenSuspended: 'open',
	response: data(Billing),
	errors: ['not_configured'],
})

export const syncBilling = operation({
	id: 'syncBilling',
	method: 'post',
	path: '/v1/billing/sync',
	summary: 'Compare the subscription of the organization with Stripe now',
	description:
		'Pages to which people return from a checkout call this, since it is faster than the webhook of Stripe.',
	auth: 'org-admin-person',
	audit: 'none: work',
	response: data(Billing),
	errors: ['not_configured'],
})

const Address = data(z.object({ url: z.url() }).meta({ id: 'BillingUrl' }))

export const createCheckout = operation({
	id: 'createCheckout',
	method: 'post',
	path: '/v1/billing/checkout',
	summary: 'Start a checkout for a tier, and get the URL of its page at Stripe',
	description:
		'Only the page of the last checkout of an organization can be paid: a new one expires the others. Returns 409 while the organization has a subscription, which is changed in the portal.',
	auth: 'org-admin-person',
	audit: 'billing.checkout_started',
	body: z.object({ tier: PaidTier, interval: BillingInterval }),
	response: Address,
	errors: ['conflict', 'not_configured'],
})

export const createPortal = operation({
	id: 'createPortal',
	method: 'post',
	path: '/v1/billing/portal',
	summary: 'Get the URL of the billing portal at Stripe',
	description:
		'The portal shows invoices, changes the tier and the payment method, and cancels the subscription. Returns 409 before the first checkout.',
	auth: 'org-admin-person',
	audit: 'billing.portal_opened',
	whenSuspended: 'open',
	response: Address,
	errors: ['conflict', 'not_configured'],
})

export const MAX_BILLING_EVENT_BYTES = 1_000_000

/** It has no rate limit by address, because Stripe sends the events of all organizations from a few addresses. */
export const receiveBillingEvent = operation({
	id: 'receiveBillingEvent',
	method: 'post',
	path: '/v1/billing/webhook',
	summary: 'Receive an event of Stripe',
	description:
		'Signed by Stripe in `Stripe-Signature` over the raw body, at most five minutes ago. The event only says that something changed: the state is then fetched from Stripe. Returns 200 without any effect for an event that is known or concerns no organization.',
	auth: 'public',
	audit: 'none: work',
	idempotencyKey: { needless: 'each id of an event counts once' },
	takesBytes: { type: 'application/json', maxBytes: MAX_BILLING_EVENT_BYTES },
	response: z
		.object({ result: z.enum(['accepted', 'known', 'ignored']) })
		.meta({ id: 'BillingEventReceipt' }),
	errors: ['unauthorized', 'not_configured'],
})
