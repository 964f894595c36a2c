import { and, eq, sql } from 'drizzle-orm'
import { assets } from '#schema/tables/assets.ts'
import type { AssetRow } from '../assets/store.ts'
import type { Db } from '../platform/database/database.ts'

export type TranscriptVersion = Pick<AssetRow, 'transcriptKey' | 'subtitlesKey' | 'transcriptLanguage'>

export const transcriptStore = (db: Db) => ({
	/** Replaces the transcript only if it is still the one of `asset`. */
	async replace(
		{ id, orgId, transcriptKey }: Pick<AssetRow, 'id' | 'orgId' | 'transcriptKey'>,
		version: TranscriptVersion,
		now: number,
	): Promise<boolean> {
		const replaced = await db
			.update(assets)
			.set({ ...version, updatedAt: now })
			.where(
				and(eq(assets.id, id), eq(assets.orgId, orgId), sql`${assets.transcriptKey} is ${transcriptKey}`),
			)
			.returning({ id: assets.id })
		return replaced.length > 0
	},
})
