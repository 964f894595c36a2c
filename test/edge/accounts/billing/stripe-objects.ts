import type { Stripe } from 'stripe'
import type { PaidTier } from '#schema/contract/accounts/billing.ts'

/** A part of an object of Stripe. A field that an upgrade of the SDK moves no longer compiles. */
type Part<T> = T extends readonly (infer Element)[]
	? readonly Part<Element>[]
	: T extends object
		? { readonly [Name in keyof T]?: Part<T[Name]> }
		: T

/** What the stand-in keeps of a subscription. Instants are in seconds, as at Stripe. */
export type KeptSubscription = {
	id: string
	customer: string
	status: Stripe.Subscription.Status
	created: number
	periodStart: number
	periodEnd: number
	cancelAt: number | null
	price: { lookupKey: string | null; tier?: PaidTier; interval: 'month' | 'year' }
	metadata: Record<string, string>
}

export type KeptInvoice = {
	id: string
	customer: string
	subscription: string
	created: number
	status: Stripe.Invoice.Status
}

export type KeptSession = {
	id: string
	customer: string
	status: Stripe.Checkout.Session.Status
	price: KeptSubscription['price']
	trialDays: number | null
	metadata: Record<string, string>
	lines: number
}

export const stripeCustomer = (id: string, metadata: Record<string, string>) =>
	({ id, object: 'customer', metadata, livemode: false }) satisfies Part<Stripe.Customer>

export const stripeSubscription = (kept: KeptSubscription) =>
	({
		id: kept.id,
		object: 'subscription',
		customer: kept.customer,
		status: kept.status,
		created: kept.created,
		start_date: kept.created,
		cancel_at: kept.cancelAt,
		metadata: kept.metadata,
		items: {
			object: 'list',
			has_more: false,
			data: [
				{
					id: `si_${kept.id}`,
					object: 'subscription_item',
					current_period_start: kept.periodStart,
					current_period_end: kept.periodEnd,
					price: stripePrice(kept.price),
				},
			],
		},
	}) satisfies Part<Stripe.Subscription>

export const stripePrice = ({ lookupKey, tier, interval }: KeptSubscription['price']) =>
	({
		id: `price_${lookupKey ?? 'former'}`,
		object: 'price',
		active: true,
		lookup_key: lookupKey,
		metadata: tier ? { playhouse_tier: tier } : {},
		recurring: { interval },
	}) satisfies Part<Stripe.Price>

export const stripeInvoice = (kept: KeptInvoice) =>
	({
		id: kept.id,
		object: 'invoice',
		customer: kept.customer,
		created: kept.created,
		status: kept.status,
		status_transitions: { finalized_at: kept.created },
		parent: {
			type: 'subscription_details',
			subscription_details: { subscription: kept.subscription },
		},
	}) satisfies Part<Stripe.Invoice>

export const stripeCheckoutSession = (kept: KeptSession) =>
	({
		id: kept.id,
		object: 'checkout.session',
		customer: kept.customer,
		status: kept.status,
		mode: 'subscription',
		url: kept.status === 'open' ? `https://checkout.stripe.example/${kept.id}` : null,
	}) satisfies Part<Stripe.Checkout.Session>

export const stripeEvent = (id: string, type: string, object: object, created: number) =>
	({
		id,
		object: 'event',
		api_version: '2026-10-28.endive',
		type: type as 'customer.updated',
		created,
		livemode: false,
		data: { object: object as Stripe.Customer },
	}) satisfies Part<Stripe.Event>
export type SentEvent = ReturnType<typeof stripeEvent>
