import { DAY, toUtcDay } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { queueDue } from '../../platform/work/sweep.ts'
import { closeCustomers } from './closing/close.ts'
import { billingStore, reconcileSweep } from './store.ts'
import { openStripe } from './stripe/stripe-provider.ts'
import { syncWithProvider } from './sync.ts'
import { meterUsage } from './usage/usage.ts'

const MAX_BATCHES = 5
/** Stripe lets operators resend an event for 30 days. */
const EVENTS_KEPT_MS = 40 * DAY
const USAGE_KEPT_MS = 90 * DAY

/** Queues the accounts that are due, each about once a day. */
export async function queueReconciles(deps: Deps): Promise<void> {
	const provider = openStripe(deps)
	if (!provider) return
	for (let batches = 0; batches < MAX_BATCHES; batches++) if (!(await queueDue(deps, reconcileSweep))) break
	await closeCustomers(deps, provider)
}

/** Compares an account with the provider, without an event, and reports its usage. */
export async function reconcile(deps: Deps, { orgId }: { orgId: string }): Promise<void> {
	const provider = openStripe(deps)
	if (!provider) return
	const isKnown = await syncWithProvider(deps, provider, orgId)
	if (isKnown && deps.env.vars.BILLING_METERS) await meterUsage(deps, provider, orgId)
}

export async function pruneBilling({ db, now }: Deps): Promise<void> {
	await billingStore(db).prune(now - EVENTS_KEPT_MS, toUtcDay(now - USAGE_KEPT_MS))
}
