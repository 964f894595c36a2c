import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { assets } from '#schema/tables/video/assets.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { replaceSpokenStatements } from '../../video/assets/search/spoken-store.ts'
import type { AssetRow } from '../../video/assets/store.ts'

export type TranscriptVersion = Pick<AssetRow, 'transcriptKey' | 'subtitlesKey' | 'transcriptLanguage'>
export type TranscriptAuthor = NonNullable<AssetRow['transcriptBy']>

export const transcriptStore = (db: Db) => ({
	/** Replaces the transcript only if it is unchanged since `asset` was read. */
	async replace(
		work: UnitOfWork,
		{ id, orgId, transcriptKey }: Pick<AssetRow, 'id' | 'orgId' | 'transcriptKey'>,
		version: TranscriptVersion & { transcriptBy: TranscriptAuthor },
		spokenText: string,
		condition?: SQL,
		recordStatement?: (isStored: SQL) => BatchItem<'sqlite'>,
	): Promise<boolean> {
		const isStored = sql`exists (
			select 1 from assets as stored
			where stored.id = ${id} and stored.transcript_key is ${version.transcriptKey}
		)`
		const { replaced } = await batch(db, {
			replaced: db
				.update(assets)
				.set({ ...version, updatedAt: work.now })
				.where(
					and(
						eq(assets.id, id),
						eq(assets.orgId, orgId),
						sql`${assets.transcriptKey} is ${transcriptKey}`,
						condition,
					),
				)
				.returning({ id: assets.id }),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'asset.transcript_replaced',
				orgId,
				payload: { assetId: id, by: version.transcriptBy },
			}),
			spokenTermsReplaced: replaceSpokenStatements(
				db,
				{ id, orgId, transcriptKey: version.transcriptKey },
				spokenText,
			),
			storageRecorded: recordStatement?.(isStored) ?? null,
		})
		return replaced.length > 0
	},

	/** Adds subtitles to a transcript without any, only if it is unchanged since `asset` was read. */
	async addSubtitles(
		{ id, orgId, transcriptKey }: Pick<AssetRow, 'id' | 'orgId' | 'transcriptKey'>,
		subtitlesKey: string,
		now: number,
	): Promise<boolean> {
		const added = await db
			.update(assets)
			.set({ subtitlesKey, updatedAt: now })
			.where(
				and(
					eq(assets.id, id),
					eq(assets.orgId, orgId),
					sql`${assets.transcriptKey} is ${transcriptKey}`,
					isNull(assets.subtitlesKey),
				),
			)
			.returning({ id: assets.id })
		return added.length > 0
	},
})
