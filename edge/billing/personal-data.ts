import { billingAccounts } from '#schema/tables/billing/accounts.ts'
import { billingUsage } from '#schema/tables/billing/usage.ts'
import type { PersonalData } from '../platform/personal-data.ts'

export const billingPersonalData: Partial<PersonalData> = {
	orgKeys: [billingUsage.orgId],
	exportedOrgKeys: [
		[billingAccounts.orgId, 'the subscription of your organization; your invoices are in the billing portal'],
	],
	// A separate step also cancels the subscription.
	keptOrgKeys: [billingAccounts.orgId],
}
