import { and, eq } from 'drizzle-orm'
import { assets } from '#schema/tables/assets.ts'
import { orgs } from '#schema/tables/identity.ts'
import { effectiveTier } from '../../orgs/tiers/effective-tier.ts'
import type { Db } from '../../platform/database/database.ts'

export const uploaderStore = (db: Db) => ({
	/** Returns the status of an asset, and its organization. */
	async find(orgId: string, assetId: string, now: number) {
		const [row] = await db
			.select({
				status: assets.status,
				slug: orgs.slug,
				tier: effectiveTier('orgs', now).as('tier'),
				suspendedAt: orgs.suspendedAt,
				suspensionReasons: orgs.suspensionReasons,
			})
			.from(assets)
			.innerJoin(orgs, eq(orgs.id, assets.orgId))
			.where(and(eq(assets.id, assetId), eq(assets.orgId, orgId)))
		return row
	},
})
