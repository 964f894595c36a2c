import type { Billing } from '#schema/contract/accounts/billing.ts'
import type { Deps } from '../../platform/deps.ts'
import { getOrg } from '../orgs/orgs.ts'
import { requireProvider } from './configuration.ts'
import { billingStore } from './store.ts'
import { viewBilling } from './view.ts'

/** Returns the stored subscription of an organization. */
export async function readBilling(deps: Deps, orgId: string): Promise<Billing> {
	requireProvider(deps)
	const [{ tier }, account] = await Promise.all([getOrg(deps, orgId), billingStore(deps.db).find(orgId)])
	return viewBilling(tier, account)
}
