import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { assets } from '#schema/tables/video/assets.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { AssetRow } from '../store.ts'

/** The columns that the start page shows. Their names are part of the key of the cached list. */
export const publicVideoColumns = {
	playbackId: assets.playbackId,
	title: assets.title,
	durationSec: assets.durationSec,
	customThumbnailKey: assets.customThumbnailKey,
	frameKey: assets.frameKey,
}

export type PublicVideo = Pick<AssetRow, keyof typeof publicVideoColumns>

export const publicVideosStore = (db: Db) => ({
	/** Organizations that restrict embedding want their videos nowhere else. */
	async list(limit: number): Promise<PublicVideo[]> {
		return (
			db
				.select(publicVideoColumns)
				.from(assets)
				// SQLite keeps the order of a cross join, and uses a partial index only for constants in the statement.
				.crossJoin(orgs)
				.where(
					and(
						sql`${assets.visibility} = 'public' and ${assets.status} = 'ready'`,
						isNotNull(assets.manifestKey),
						eq(orgs.id, assets.orgId),
						isNull(orgs.suspendedAt),
						sql`json_array_length(${orgs.allowedEmbedDomains}) = 0`,
					),
				)
				.orderBy(desc(assets.createdAt), desc(assets.id))
				.limit(limit)
		)
	},
})
