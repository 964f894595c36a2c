import { desc, eq, sql } from 'drizzle-orm'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { assets } from '#schema/tables/video/assets.ts'
import { jobs } from '#schema/tables/video/transcoding.ts'
import type { Db } from '../../../../platform/database/database.ts'
import { deriveSuspension } from '../../../../platform/suspension.ts'

export const assetFileStore = (db: Db) => ({
	/** Returns an asset with its organization and the job whose files it publishes. */
	async find(assetId: string) {
		const [row] = await db
			.select({ asset: assets, org: orgs })
			.from(assets)
			.innerJoin(orgs, eq(orgs.id, assets.orgId))
			.where(eq(assets.id, assetId))
		if (!row) return
		const [job] = await db
			.select({ id: jobs.id, aiOptions: jobs.aiOptions, playback: jobs.playback })
			.from(jobs)
			.where(sql`${jobs.assetId} = ${assetId} and ${jobs.publishedVersion} > 0`)
			.orderBy(desc(jobs.createdAt), desc(jobs.id))
			.limit(1)
		const { id, orgId, playbackId, status } = row.asset
		const { slug, tier } = row.org
		return {
			id,
			orgId,
			playbackId,
			status,
			job,
			org: { id: orgId, slug, tier, suspension: deriveSuspension(row.org) },
		}
	},
})

export type StoredAsset = NonNullable<Awaited<ReturnType<ReturnType<typeof assetFileStore>['find']>>>
