import { type LimitName, type TierName, tiers } from '#schema/contract/tiers.ts'
import { AppError } from '../http/errors.ts'

/** How much of something a tier allows; null means as much as one likes. */
export const limitOf = (tier: TierName, name: LimitName): number | null => tiers[tier][name]

const things: Record<LimitName, string> = {
	encodeMinutesPerMonth: 'minutes of encoding a month',
	storageBytes: 'bytes of storage',
	deliveryMinutesPerMonth: 'minutes of delivery a month',
	apiKeys: 'API keys',
	members: 'members',
	requestsPerMinute: 'requests a minute',
}

export const planLimit = (tier: TierName, name: LimitName) =>
	new AppError(
		'plan_limit',
		`the tier ${tier} allows ${limitOf(tier, name)} ${things[name]}; remove some or change the tier`,
	)
