import { billingAccounts } from '#schema/tables/accounts/billing/accounts.ts'
import { billingTrials } from '#schema/tables/accounts/billing/trials.ts'
import { billingUsage } from '#schema/tables/accounts/billing/usage.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

export const billingPersonalData: Partial<PersonalData> = {
	personKeys: [
		{
			column: billingTrials.userId,
			holds: 'user id',
			onDeletion: 'delete',
			description: 'the trial of a subscription that you were offered or have had',
		},
	],
	orgKeys: [billingUsage.orgId],
	exportedOrgKeys: [
		[billingAccounts.orgId, 'the subscription of your organization; your invoices are in the billing portal'],
	],
	// A separate step also cancels the subscription. The trial stays used, even without its organization.
	keptOrgKeys: [billingAccounts.orgId, billingTrials.orgId],
}
