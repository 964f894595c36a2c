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

/** The maximum number of assets of a collection that one statement examines. */
const MAX_EXAMINED = 100

export const publicVideosStore = (db: Db) => ({
	/** Examines only the newest assets of the collection, so that large collections cost no more. */
	async listOfCollection(orgId: string, collectionId: string, limit: number): Promise<PublicVideo[]> {
		const newest = db
			.select({
				...publicVideoColumns,
				id: assets.id,
				createdAt: assets.createdAt,
				visibility: assets.visibility,
				status: assets.status,
				manifestKey: assets.manifestKey,
			})
			.from(assets)
			.where(and(eq(assets.orgId, orgId), eq(assets.collectionId, collectionId)))
			.orderBy(desc(assets.createdAt), desc(assets.id))
			.limit(MAX_EXAMINED)
			.as('newest')
		const { playbackId, title, durationSec, customThumbnailKey, frameKey } = newest
		return db
			.select({ playbackId, title, durationSec, customThumbnailKey, frameKey })
			.from(newest)
			.where(and(eq(newest.visibility, 'public'), eq(newest.status, 'ready'), isNotNull(newest.manifestKey)))
			.orderBy(desc(newest.createdAt), desc(newest.id))
			.limit(limit)
	},

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
