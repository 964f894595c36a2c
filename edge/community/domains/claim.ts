import type { communities } from '#schema/tables/community/community.ts'
import { randomBase62 } from '../../platform/database/ids.ts'

type Claim = Pick<
	typeof communities.$inferSelect,
	| 'customDomain'
	| 'domainProof'
	| 'domainClaimedAt'
	| 'domainVerifiedAt'
	| 'domainCheckedAt'
	| 'domainMissingSince'
	| 'domainProblem'
	| 'domainCheckAt'
>

/** Returns the columns of a new claim; all null without a domain. */
export const newDomainClaim = (domain: string | null, now: number): Claim => ({
	customDomain: domain,
	domainProof: domain === null ? null : randomBase62(32),
	domainClaimedAt: domain === null ? null : now,
	domainVerifiedAt: null,
	domainCheckedAt: null,
	domainMissingSince: null,
	domainProblem: null,
	domainCheckAt: domain === null ? null : now,
})
