import { and, eq } from 'drizzle-orm'
import { assets } from '#schema/tables/assets.ts'
import { orgs } from '#schema/tables/identity.ts'
import type { Db } from '../../platform/database.ts'

export const uploaderStore = (db: Db) => ({
	/** How things stand with an asset and the organization it belongs to. */
	async find(orgId: string, assetId: string) {
		const [row] = await db
			.select({
				status: assets.status,
				slug: orgs.slug,
				tier: orgs.tier,
				suspendedAt: orgs.suspendedAt,
			})
			.from(assets)
			.innerJoin(orgs, eq(orgs.id, assets.orgId))
			.where(and(eq(assets.id, assetId), eq(assets.orgId, orgId)))
		return row
	},
})
