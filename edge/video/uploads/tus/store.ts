import { and, eq, type SQL, sql } from 'drizzle-orm'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { assets } from '#schema/tables/video/assets.ts'
import { selectEffectiveTier } from '../../../accounts/orgs/tiers/effective-tier.ts'
import type { Db } from '../../../platform/database/database.ts'

/** Who requested an upload token. Older tokens name nobody. */
type Requester = { userId: number | null; keyId: string | null }

/** SQL condition on the organization `orgs`: the requester is a member and not locked, and their API key exists. */
const isAdmitted = ({ userId, keyId }: Requester): SQL<number> =>
	sql<number>`(
		(
			${userId} is null
			or exists (
				select 1 from org_members as requester
				join users as person on person.id = requester.user_id
				where requester.org_id = orgs.id and requester.user_id = ${userId} and person.locked_at is null
			)
		)
		and (
			${keyId} is null
			or exists (select 1 from api_keys as used where used.id = ${keyId} and used.org_id = orgs.id)
		)
	)`

export const uploaderStore = (db: Db) => ({
	/** Returns the status and organization of an asset, and whether its token is still valid. */
	async find(orgId: string, assetId: string, requester: Requester, now: number) {
		const [row] = await db
			.select({
				status: assets.status,
				slug: orgs.slug,
				tier: selectEffectiveTier('orgs', now).as('tier'),
				suspendedAt: orgs.suspendedAt,
				suspensionReasons: orgs.suspensionReasons,
				isAdmitted: isAdmitted(requester),
			})
			.from(assets)
			.innerJoin(orgs, eq(orgs.id, assets.orgId))
			.where(and(eq(assets.id, assetId), eq(assets.orgId, orgId)))
		return row
	},
})
