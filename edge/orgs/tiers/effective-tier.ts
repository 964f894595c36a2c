import { type SQL, sql } from 'drizzle-orm'
import type { TierName } from '#schema/contract/platform/tiers.ts'
import type { orgs } from '#schema/tables/identity.ts'

type OrgRow = typeof orgs.$inferSelect
export type TierOverride = Pick<OrgRow, 'tierOverride' | 'tierOverrideUntil' | 'tierOverrideReason'>

/**
 * Returns SQL for the tier whose limits apply to a row of `orgs` under an alias. An override ends at its time by itself,
 * since this compares the time when the row is read.
 */
export const effectiveTier = (alias: string, now: number): SQL<TierName> => {
	const org = sql.raw(alias)
	return sql<TierName>`iif(${org}.tier_override is not null and ${org}.tier_override_until > ${now}, ${org}.tier_override, ${org}.tier)`
}

/** Returns the override that applies to an organization, or null. */
export const tierOverrideOf = (
	{ tierOverride, tierOverrideUntil, tierOverrideReason }: TierOverride,
	now: number,
) =>
	tierOverride !== null && tierOverrideUntil !== null && tierOverrideUntil > now
		? { tier: tierOverride, until: tierOverrideUntil, reason: tierOverrideReason ?? '' }
		: null

export const effectiveTierOf = (org: TierOverride & Pick<OrgRow, 'tier'>, now: number): TierName =>
	tierOverrideOf(org, now)?.tier ?? org.tier
