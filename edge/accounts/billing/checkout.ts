import type { OrgPerson } from '../../http/caller.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { auditStatement } from '../../platform/audit/audit.ts'
import type { Deps } from '../../platform/deps.ts'
import { billingReturnUrl, requireProvider } from './configuration.ts'
import { ensureCustomer } from './customer.ts'
import type { Plan } from './plans.ts'
import type { Provider } from './provider.ts'
import { type BillingState, deriveBillingState } from './state.ts'
import { type AccountRow, billingStore } from './store.ts'
import { trialStore } from './trial-store.ts'
import { describeUnknownCustomer } from './unknown-customer.ts'

/**
 * Starts a checkout and returns its URL. An organization has at most one payable page: a checkout expires earlier
 * sessions, checks that nothing was bought, and returns its own session only if no other checkout has begun since.
 */
export async function startCheckout(deps: Deps, { org }: OrgPerson, plan: Plan): Promise<string> {
	const provider = requireProvider(deps)
	const returnUrl = billingReturnUrl(deps)
	if (org.tier === 'self-hosted')
		throw new AppError('conflict', 'this organization has no limits, so it needs no subscription')
	const store = billingStore(deps.db)
	const customerId = await ensureCustomer(deps, provider, org.id)
	const account = await store.beginCheckout(org.id)
	if (!account) throw notFoundError('organization')
	if (!(await provider.expireCheckouts(customerId, account.checkoutSessionId)))
		throw new AppError('conflict', 'another checkout is being paid; wait until it ends')
	const { hasSubscribed } = await requireNothingBought(deps, provider, account, customerId)
	const session = await provider.openCheckout({
		orgId: org.id,
		customerId,
		plan,
		trialDays: hasSubscribed ? null : await trialDaysOf(deps, account),
		computesTax: deps.env.vars.BILLING_TAX,
		returnUrl,
		key: `playhouse-checkout-${org.id}-${account.checkoutsBegun}`,
	})
	if (!session)
		throw new AppError(
			'not_configured',
			`the tier ${plan.tier} can't be bought for a ${plan.interval} on this installation`,
		)
	if (await store.storeCheckout(deps.work, account, session.id, plan)) return session.url
	await provider.expireCheckout(session.id)
	throw new AppError('conflict', 'another checkout was started at the same time; use that one')
}

/** Returns the trial days; null if the organization's creator uses or has used their trial for another one. */
async function trialDaysOf(
	{ db, env, now }: Deps,
	{ orgId, subscribedAt }: AccountRow,
): Promise<number | null> {
	const days = env.vars.BILLING_TRIAL_DAYS
	if (!days || subscribedAt !== null) return null
	return (await trialStore(db).offer(orgId, now)) ? days : null
}

async function requireNothingBought(
	{ db, log }: Deps,
	provider: Provider,
	{ orgId, status }: AccountRow,
	customerId: string,
): Promise<BillingState> {
	const snapshot = await provider.fetchSnapshot(customerId)
	if (snapshot.customer === 'unknown' && status !== null) {
		log.error(...describeUnknownCustomer(customerId))
		throw new AppError('unavailable', 'billing is misconfigured on this installation; ask its operator')
	}
	if (snapshot.customer !== 'exists') {
		await billingStore(db).clearCustomer(orgId, customerId)
		throw new AppError('conflict', 'the payment provider has deleted the customer; try again')
	}
	const state = deriveBillingState(snapshot)
	if (state.subscription)
		throw new AppError(
			'conflict',
			'this organization has a subscription; change it in the billing portal (POST /v1/billing/portal)',
		)
	return state
}

/** Returns the address of the portal of an organization that has started a checkout before. */
export async function openPortal(deps: Deps, { org }: OrgPerson): Promise<string> {
	const provider = requireProvider(deps)
	const returnUrl = billingReturnUrl(deps)
	const account = await billingStore(deps.db).find(org.id)
	if (!account?.customerId)
		throw new AppError('conflict', 'this organization has no subscription yet; start a checkout')
	const url = await provider.openPortal(account.customerId, returnUrl)
	await auditStatement(deps.work, {
		action: 'billing.portal_opened',
		orgId: org.id,
		target: { kind: 'org', id: org.id },
	})
	return url
}
