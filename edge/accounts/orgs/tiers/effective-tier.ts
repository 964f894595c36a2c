import { type SQL, sql } from 'drizzle-orm'
import type { TierName } from '#schema/contract/accounts/tiers.ts'
import type { orgs } from '#schema/tables/accounts/identity.ts'

type OrgRow = typeof orgs.$inferSelect
export type TierOverride = Pick<OrgRow, 'tierOverride' | 'tierOverrideUntil' | 'tierOverrideReason'>
export type PaidTier = Pick<OrgRow, 'paidTier' | 'paidTierUntil'>

/** Returns a condition that holds while a superadmin's tier replaces that of a row of `orgs` under an alias. */
export const hasTierOverride = (alias: string, now: number): SQL => {
	const org = sql.raw(alias)
	return sql`(${org}.tier_override is not null and ${org}.tier_override_until > ${now})`
}

/** Returns a condition that holds while a row of `orgs` under an alias has a paid tier. */
export const hasPaidTier = (alias: string, now: number): SQL => {
	const org = sql.raw(alias)
	return sql`(${org}.paid_tier is not null and ${org}.paid_tier_until > ${now})`
}

/**
 * Returns SQL for the tier whose limits apply to a row of `orgs` under an alias: that of a superadmin, else the one that
 * is paid for, else the organization's own. The first two end at their time by themselves, since this compares the time
 * when the row is read.
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
