import type { Billing } from '#schema/contract/accounts/billing.ts'
import type { TierName } from '#schema/contract/accounts/tiers.ts'
import { toIsoOrNull } from '../../platform/clock.ts'
import type { AccountRow } from './store.ts'

export const viewBilling = (tier: TierName, account: AccountRow | undefined): Billing => ({
	tier,
	subscription: account?.status
		? {
				tier: account.tier,
				interval: account.interval,
				status: account.status,
				currentPeriodEnd: toIsoOrNull(account.currentPeriodEnd),
				cancelAt: toIsoOrNull(account.cancelAt),
				graceUntil: toIsoOrNull(account.graceUntil),
			}
		: null,
	syncedAt: toIsoOrNull(account?.syncedAt ?? null),
})
