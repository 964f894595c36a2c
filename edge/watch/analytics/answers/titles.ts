import { and, eq, inArray } from 'drizzle-orm'
import { assets } from '#schema/tables/video/assets.ts'
import type { Db } from '../../../platform/database/database.ts'

export type TitledVideo = { assetId: string; playbackId: string; title: string }

/** Returns the titles of the videos that still exist in the organization. */
export async function findTitles(
	db: Db,
	orgId: string,
	playbackIds: readonly string[],
): Promise<TitledVideo[]> {
	if (playbackIds.length === 0) return []
	return db
		.select({ assetId: assets.id, playbackId: assets.playbackId, title: assets.title })
		.from(assets)
		.where(and(inArray(assets.playbackId, [...playbackIds]), eq(assets.orgId, orgId)))
}
