import { DAY, HOUR, utcDay } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { closeCustomers } from './closing/close.ts'
import { billingStore } from './store.ts'
import { openStripe } from './stripe/stripe-provider.ts'
import { sync } from './sync.ts'
import { meterUsage } from './usage/usage.ts'

/** The queue takes at most this many messages at once. */
const AT_ONCE = 100
const MAX_BATCHES = 5
/** Stripe lets operators send an event again for 30 days. */
const EVENTS_KEPT_MS = 40 * DAY
const USAGE_KEPT_MS = 90 * DAY

/** Queues the accounts that are due, each about once a day. */
export async function queueReconciles(deps: Deps): Promise<void> {
	const { db, now, sendBatch } = deps
	const provider = openStripe(deps)
	if (!provider) return
	for (let batches = 0; batches < MAX_BATCHES; batches++) {
		const due = await billingStore(db).claimDue(now, now + HOUR, AT_ONCE)
		if (due.length > 0) await sendBatch(due.map(({ orgId }) => ({ type: 'billing.reconcile', orgId })))
		if (due.length < AT_ONCE) break
	}
	await closeCustomers(deps, provider)
}

/** Compares an account with the provider although no event came, and reports its usage. */
export async function reconcile(deps: Deps, { orgId }: { orgId: string }): Promise<void> {
	const provider = openStripe(deps)
	if (!provider) return
	const isKnown = await sync(deps, provider, orgId)
	if (isKnown && deps.env.vars.BILLING_METERS) await meterUsage(deps, provider, orgId)
}

export async function pruneBilling({ db, now }: Deps): Promise<void> {
	await billingStore(db).prune(now - EVENTS_KEPT_MS, utcDay(now - USAGE_KEPT_MS))
}
