import { and, eq, sql } from 'drizzle-orm'
import { assets } from '#schema/tables/video/assets.ts'
import type { Db } from '../../platform/database/database.ts'
import type { AssetRow } from '../../video/assets/store.ts'

export type ChaptersVersion = Pick<AssetRow, 'chaptersKey' | 'chaptersEditedAt' | 'chaptersTranscriptKey'>

export const chapterStore = (db: Db) => ({
	/** Replaces the chapters only if they and their source transcript are unchanged since `asset` was read. */
	async replace(asset: AssetRow, version: ChaptersVersion, now: number): Promise<boolean> {
		const { id, orgId, chaptersKey, chaptersEditedAt, transcriptKey } = asset
		const isFromTranscript = version.chaptersEditedAt === null
		const replaced = await db
			.update(assets)
			.set({ ...version, updatedAt: now })
			.where(
				and(
					eq(assets.id, id),
					eq(assets.orgId, orgId),
					sql`${assets.chaptersKey} is ${chaptersKey}`,
					sql`${assets.chaptersEditedAt} is ${chaptersEditedAt}`,
					isFromTranscript ? sql`${assets.transcriptKey} is ${transcriptKey}` : undefined,
				),
			)
			.returning({ id: assets.id })
		return replaced.length > 0
	},
})
