import { type LimitName, type TierName, tiers } from '#schema/contract/accounts/tiers.ts'
import { AppError } from '../../http/errors.ts'

/** Returns the limit of a tier; null means unlimited. */
export const tierLimit = (tier: TierName, name: LimitName): number | null => tiers[tier][name]

const limitUnits: Record<LimitName, string> = {
	encodeMinutesPerMonth: 'encoding minutes per month',
	storageBytes: 'bytes of storage',
	deliveryMinutesPerMonth: 'delivery minutes per month',
	apiKeys: 'API keys',
	members: 'members',
	requestsPerMinute: 'requests per minute',
}

export const planLimitError = (tier: TierName, name: LimitName) =>
	new AppError(
		'plan_limit',
		`the tier ${tier} allows ${tierLimit(tier, name)} ${limitUnits[name]}; remove some or change the tier`,
	)
