import type { AdminOrg } from '#schema/contract/operations/admin/orgs.ts'
import { chooseEffectiveTier, currentTierOverride } from '../../../accounts/orgs/tiers/effective-tier.ts'
import { MINUTE, toIso } from '../../../platform/clock.ts'
import type { OrgRow } from './store.ts'

export function viewOrg(
	{ org, encodeMs, members }: { org: OrgRow; encodeMs: number; members: number },
	now: number,
): AdminOrg {
	const override = currentTierOverride(org, now)
	return {
		id: org.id,
		name: org.name,
		slug: org.slug,
		tier: chooseEffectiveTier(org, now),
		tierOverride: override && { ...override, until: toIso(override.until) },
		state: org.suspendedAt === null ? 'active' : 'suspended',
		suspensionReasons: org.suspensionReasons,
		encodeMinutesThisMonth: encodeMs / MINUTE,
		members,
		createdAt: toIso(org.createdAt),
	}
}
