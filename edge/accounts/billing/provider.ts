import type { BillingInterval, PaidTier } from '#schema/contract/accounts/billing.ts'
import type { Plan } from './plans.ts'

/** A subscription, as the provider describes it. Instants are in milliseconds since 1970. */
export type Subscription = {
	id: string
	/** A status of Stripe, which may add new ones. */
	status: string
	/** Null if none of its prices belongs to a tier. */
	tier: PaidTier | null
	interval: BillingInterval | null
	createdAt: number
	currentPeriodStart: number
	currentPeriodEnd: number
	cancelAt: number | null
	/** When the oldest unpaid invoice was due; null if there is none. */
	unpaidSince: number | null
}

/** The state of a customer that determines the tier, fetched together. */
export type Snapshot = {
	/** `unknown`: the customer belongs to another account of the provider, so nothing follows from this snapshot. */
	customer: 'exists' | 'deleted' | 'unknown'
	subscriptions: readonly Subscription[]
}

/** `customerId` is null for events that name no customer. */
export type ProviderEvent = { id: string; type: string; customerId: string | null; objectId: string | null }

export type CheckoutRequest = {
	orgId: string
	customerId: string
	plan: Plan
	trialDays: number | null
	computesTax: boolean
	returnUrl: string
	/** Equal keys create one session. */
	key: string
}

export type UsageMetric = 'encode' | 'delivery'
export type UsageReport = { customerId: string; metric: UsageMetric; dayStart: number; minutes: number }

/** The payment provider. Each function throws AppError if it does not respond. */
export type Provider = {
	/** Equal keys create one customer. */
	createCustomer(orgId: string, key: string): Promise<string>
	/** Finds the oldest customer of an organization, including one that is missing in the database. */
	findCustomer(orgId: string): Promise<string | null>
	/**
	 * Returns the organization named by a customer; null if there is none, or the customer was deleted or is unknown.
	 */
	fetchOwner(customerId: string): Promise<string | null>
	fetchSnapshot(customerId: string): Promise<Snapshot>
	/** Returns the session, or null if no price of the plan is for sale. */
	openCheckout(request: CheckoutRequest): Promise<{ id: string; url: string } | null>
	/** Expires a session. Returns false if it can be neither expired nor completed now, since it is being paid. */
	expireCheckout(sessionId: string): Promise<boolean>
	/**
	 * Expires every open session of a customer, and one that a list may not contain yet. Returns the same as
	 * `expireCheckout`.
	 */
	expireCheckouts(customerId: string, knownSessionId: string | null): Promise<boolean>
	openPortal(customerId: string, returnUrl: string): Promise<string>
	/** Cancels a subscription immediately. `creditsRest` credits the unused time to the customer. */
	cancel(subscriptionId: string, options: { creditsRest: boolean }): Promise<void>
	/** Replaces the minutes of a day. Throws if the provider knows no such meter. */
	reportUsage(report: UsageReport): Promise<void>
	/** Returns the event, or null unless the provider signed it within the last minutes. */
	readEvent(body: Uint8Array, signature: string, now: number): Promise<ProviderEvent | null>
}
