import { type SQL, sql } from 'drizzle-orm'
import type { TierName } from '#schema/contract/accounts/tiers.ts'
import type { orgs } from '#schema/tables/accounts/identity.ts'

type OrgRow = typeof orgs.$inferSelect
export type TierOverride = Pick<OrgRow, 'tierOverride' | 'tierOverrideUntil' | 'tierOverrideReason'>
export type PaidTier = Pick<OrgRow, 'paidTier' | 'paidTierUntil'>

/** SQL condition: a superadmin's tier override applies to the aliased row of `orgs`. */
export const hasTierOverride = (alias: string, now: number): SQL => {
	const org = sql.raw(alias)
	return sql`(${org}.tier_override is not null and ${org}.tier_override_until > ${now})`
}

/** SQL condition: the aliased row of `orgs` has a paid tier. */
export const hasPaidTier = (alias: string, now: number): SQL => {
	const org = sql.raw(alias)
	return sql`(${org}.paid_tier is not null and ${org}.paid_tier_until > ${now})`
}

/**
 * SQL for the effective tier of an aliased row of `orgs`: the superadmin's override, else the paid tier, else its
 * own. The first two expire by comparing the time of the query.
 */
export const selectEffectiveTier = (alias: string, now: number): SQL<TierName> => {
	const org = sql.raw(alias)
	return sql<TierName>`
		case
			when ${hasTierOverride(alias, now)} then ${org}.tier_override
			when ${hasPaidTier(alias, now)} then ${org}.paid_tier
			else ${org}.tier
		end
	`
}

export const currentTierOverride = (
	{ tierOverride, tierOverrideUntil, tierOverrideReason }: TierOverride,
	now: number,
) =>
	tierOverride !== null && tierOverrideUntil !== null && tierOverrideUntil > now
		? { tier: tierOverride, until: tierOverrideUntil, reason: tierOverrideReason ?? '' }
		: null

const paidTierOf = ({ paidTier, paidTierUntil }: PaidTier, now: number): TierName | null =>
	paidTierUntil !== null && paidTierUntil > now ? paidTier : null

export const chooseEffectiveTier = (
	org: TierOverride & PaidTier & Pick<OrgRow, 'tier'>,
	now: number,
): TierName => currentTierOverride(org, now)?.tier ?? paidTierOf(org, now) ?? org.tier
