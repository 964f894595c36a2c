import * as billing from '#schema/tables/billing.ts'
import type { PersonalData } from '../platform/personal-data.ts'

export const billingPersonalData: Partial<PersonalData> = {
	orgKeys: [billing.billingUsage.orgId],
	exportedOrgKeys: [
		[
			billing.billingAccounts.orgId,
			'the subscription of your organization; your invoices are in the billing portal',
		],
	],
	// A separate step also cancels the subscription.
	keptOrgKeys: [billing.billingAccounts.orgId],
}
