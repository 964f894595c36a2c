import { type BillingInterval, PaidTier } from '#schema/contract/accounts/billing.ts'

export type Plan = { tier: PaidTier; interval: BillingInterval }

/** The metadata of a price that names its tier, for a price that gave its lookup key to a newer one. */
export const TIER_FIELD = 'playhouse_tier'

export const planLookupKey = ({ tier, interval }: Plan): string => `playhouse_${tier}_${interval}`

/** Returns the lookup keys of the prices for usage that a subscription of this interval includes if they exist. */
export const usageLookupKeys = (interval: BillingInterval): string[] => [
	`playhouse_encode_minutes_${interval}`,
	`playhouse_delivery_minutes_${interval}`,
]

type Named = { lookupKey: string | null; metadata: Readonly<Record<string, string>> }

/** Returns the tier that a price belongs to, or null. */
export function parsePriceTier({ lookupKey, metadata }: Named): PaidTier | null {
	const named = /^playhouse_([a-z]+)_(?:month|year)$/.exec(lookupKey ?? '')?.[1]
	return toTier(named) ?? toTier(metadata[TIER_FIELD])
}

export const toTier = (text: string | undefined): PaidTier | null => PaidTier.safeParse(text).data ?? null

/** Returns the higher of two tiers. */
export const chooseHigherTier = (a: PaidTier | null, b: PaidTier | null): PaidTier | null =>
	tierRank(a) >= tierRank(b) ? a : b

export const tierRank = (tier: PaidTier | null): number =>
	tier === null ? -1 : PaidTier.options.indexOf(tier)
