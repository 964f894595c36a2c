import type { Billing } from '#schema/contract/accounts/billing.ts'
import type { TierName } from '#schema/contract/accounts/tiers.ts'
import { isoOrNull } from '../../platform/clock.ts'
import type { AccountRow } from './store.ts'

export const viewBilling = (tier: TierName, account: AccountRow | undefined): Billing => ({
	tier,
	subscription: account?.status
		? {
				tier: account.tier,
				interval: account.interval,
				status: account.status,
				currentPeriodEnd: isoOrNull(account.currentPeriodEnd),
				cancelAt: isoOrNull(account.cancelAt),
				graceUntil: isoOrNull(account.graceUntil),
			}
		: null,
	syncedAt: isoOrNull(account?.syncedAt ?? null),
})
