import { and, eq, isNotNull, lte, sql } from 'drizzle-orm'
import { assetSubtitles } from '#schema/tables/ai/subtitles.ts'
import { subtitleTranslations, translatedBatches } from '#schema/tables/ai/translations.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import type { IsAssetBusy } from '../../../platform/deps.ts'
import { recordEventIfChangedStatement } from '../../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import { sweepRows } from '../../../platform/work/sweep.ts'
import type { UploadedSubtitles } from '../../../video/assets/store.ts'

export type TranslationRow = typeof subtitleTranslations.$inferSelect
export type NewTranslation = Pick<
	TranslationRow,
	'assetId' | 'orgId' | 'language' | 'sourceLanguage' | 'sourceKey' | 'replaceableKey'
>

const isLanguage = ({ assetId, language }: Pick<TranslationRow, 'assetId' | 'language'>) =>
	and(eq(subtitleTranslations.assetId, assetId), eq(subtitleTranslations.language, language))
/** SQL condition: the claim is still valid, and the translation was not requested again. */
const isMine = (row: TranslationRow) =>
	and(
		isLanguage(row),
		eq(subtitleTranslations.version, row.version),
		eq(subtitleTranslations.status, 'processing'),
	)
const hasBatch = ({ assetId, language }: Pick<TranslationRow, 'assetId' | 'language'>) =>
	and(eq(translatedBatches.assetId, assetId), eq(translatedBatches.language, language))

/** For a batch, after the statement that ends a translation. */
const announceStatement = (
	work: UnitOfWork,
	{ assetId, orgId, language }: TranslationRow,
	type: 'subtitles.translated' | 'subtitles.translation_failed',
	now: number,
) => recordEventIfChangedStatement(work, { type, orgId, createdAt: now, payload: { assetId, language } })

/** Finds translations that waited, or lost their message or process. Their consumer claims them. */
export const translationSweep = sweepRows(
	{ at: subtitleTranslations.dueAt, leaseMs: null },
	{ assetId: subtitleTranslations.assetId, language: subtitleTranslations.language },
	(row) => ({ type: 'subtitles.translate', ...row }),
)

/** SQL condition: a translation of the asset's subtitles runs or waits. */
export const isTranslating: IsAssetBusy = (assetId) =>
	sql`exists (select 1 from subtitle_translations as t where t.asset_id = ${assetId} and t.due_at is not null)`

/** Ends all translations of an asset that run or wait. */
export const endTranslationsStatement = (db: Db, assetId: string, reason: string, now: number) =>
	db
		.update(subtitleTranslations)
		.set({ status: 'failed', dueAt: null, reason, updatedAt: now })
		.where(and(eq(subtitleTranslations.assetId, assetId), isNotNull(subtitleTranslations.dueAt)))

export const translationStore = (db: Db) => ({
	async list(assetId: string): Promise<TranslationRow[]> {
		return db
			.select()
			.from(subtitleTranslations)
			.where(eq(subtitleTranslations.assetId, assetId))
			.orderBy(subtitleTranslations.language)
	},

	/**
	 * Starts translations of an existing asset. One that is running from the same subtitles continues; a failed one
	 * keeps its finished batches.
	 */
	async start(translations: readonly NewTranslation[], now: number): Promise<void> {
		await batch(db, {
			oldBatchesDeleted: translations.map(({ assetId, language, sourceKey }) =>
				db.delete(translatedBatches).where(
					and(
						hasBatch({ assetId, language }),
						sql`not exists (
								select 1 from ${subtitleTranslations}
								where ${isLanguage({ assetId, language })}
									and ${subtitleTranslations.sourceKey} = ${sourceKey}
							)`,
					),
				),
			),
			started: translations.map((translation) => {
				const given = sql`
					from assets as asset where asset.id = ${translation.assetId} and asset.org_id = ${translation.orgId}
				`
				return insertSelect(
					db,
					subtitleTranslations,
					{ ...translation, status: 'pending', version: 1, dueAt: now, updatedAt: now },
					given,
				).onConflictDoUpdate({
					target: [subtitleTranslations.assetId, subtitleTranslations.language],
					set: {
						sourceLanguage: sql`excluded.source_language`,
						sourceKey: sql`excluded.source_key`,
						replaceableKey: sql`excluded.replaceable_key`,
						status: sql`excluded.status`,
						version: sql`${subtitleTranslations.version} + 1`,
						reason: null,
						cues: null,
						doneCues: 0,
						retries: 0,
						dueAt: now,
						updatedAt: now,
					},
					setWhere: sql`
						${subtitleTranslations.dueAt} is null
						or ${subtitleTranslations.sourceKey} <> excluded.source_key
						or (
							excluded.replaceable_key is not null
							and excluded.replaceable_key is not ${subtitleTranslations.replaceableKey}
						)
					`,
				})
			}),
		})
	},

	/**
	 * Claims a due translation until `until`. Counts tries since the last stored batch, so that one that always throws
	 * ends. Returns undefined if another process has claimed it.
	 */
	async claim(
		which: Pick<TranslationRow, 'assetId' | 'language'>,
		now: number,
		until: number,
	): Promise<TranslationRow | undefined> {
		const [row] = await db
			.update(subtitleTranslations)
			.set({
				status: 'processing',
				version: sql`${subtitleTranslations.version} + 1`,
				dueAt: until,
				retries: sql`${subtitleTranslations.retries} + 1`,
				updatedAt: now,
			})
			.where(and(isLanguage(which), lte(subtitleTranslations.dueAt, now)))
			.returning()
		return row
	},

	/** Returns the finished batches by the index of their first subtitle. */
	async listBatches(row: TranslationRow): Promise<Map<number, string[]>> {
		const rows = await db.select().from(translatedBatches).where(hasBatch(row))
		return new Map(rows.map(({ firstCue, texts }) => [firstCue, texts]))
	},

	/** Stores finished batches even after the lease was lost, because they are paid. */
	async storeBatches(
		row: TranslationRow,
		finished: readonly { from: number; texts: string[] }[],
		cues: number,
		now: number,
	): Promise<void> {
		const { assetId, language, sourceKey } = row
		const isSame = sql`
			from subtitle_translations as t
			where t.asset_id = ${assetId}
				and t.language = ${language}
				and t.source_key = ${sourceKey}
				and t.due_at is not null
		`
		await batch(db, {
			inserted: finished.map(({ from, texts }) =>
				insertSelect(
					db,
					translatedBatches,
					{
						assetId,
						language,
						firstCue: sql`cast(${from} as integer)`,
						texts: sql`${JSON.stringify(texts)}`,
					},
					isSame,
				).onConflictDoNothing(),
			),
			counted: db
				.update(subtitleTranslations)
				.set({
					cues,
					doneCues: sql`(
						select coalesce(sum(json_array_length(b.texts)), 0) from translated_batches as b
						where b.asset_id = ${assetId} and b.language = ${language}
					)`,
					...(finished.length > 0 && { retries: 0 }),
					updatedAt: now,
				})
				.where(isMine(row)),
		})
	},

	/** Releases a translation until an instant; null if it failed. */
	async release(
		work: UnitOfWork,
		row: TranslationRow,
		to: { dueAt: number | null; reason: string | null },
		now: number,
	): Promise<boolean> {
		const { dueAt, reason } = to
		const { released } = await batch(db, {
			released: db
				.update(subtitleTranslations)
				.set({
					status: dueAt === null ? 'failed' : 'pending',
					...{ dueAt, reason, updatedAt: now },
				})
				.where(isMine(row))
				.returning({ version: subtitleTranslations.version }),
			failureAnnounced:
				dueAt === null ? announceStatement(work, row, 'subtitles.translation_failed', now) : null,
		})
		return released.length > 0
	},

	/**
	 * Assigns a translated file to its language, if that is unchanged, and ends the translation. Returns false
	 * otherwise.
	 */
	async finish(
		work: UnitOfWork,
		row: TranslationRow,
		key: string,
		before: UploadedSubtitles | undefined,
		maxLanguages: number,
		now: number,
	): Promise<boolean> {
		const { assetId, language, version } = row
		const mine = sql`
			from subtitle_translations as t
			where t.asset_id = ${assetId}
				and t.language = ${language}
				and t.version = ${version}
				and t.status = 'processing'
		`
		const { stored } = await batch(db, {
			stored: before
				? db
						.update(assetSubtitles)
						.set({ key, source: 'translation', updatedAt: now })
						.where(
							and(
								eq(assetSubtitles.assetId, assetId),
								eq(assetSubtitles.language, language),
								eq(assetSubtitles.key, before.key),
								eq(assetSubtitles.source, before.source),
								sql`exists (select 1 ${mine})`,
							),
						)
						.returning({ key: assetSubtitles.key })
				: insertSelect(
						db,
						assetSubtitles,
						{
							assetId: sql`t.asset_id`,
							language: sql`t.language`,
							key: sql`${key}`,
							source: sql`'translation'`,
							updatedAt: sql`${now}`,
						},
						sql`
							${mine}
							and (
								select count(*) from asset_subtitles as made where made.asset_id = ${assetId}
							) < ${maxLanguages}
						`,
					)
						.onConflictDoNothing()
						.returning({ key: assetSubtitles.key }),
			ended: db
				.update(subtitleTranslations)
				.set({ status: 'completed', reason: null, dueAt: null, updatedAt: now })
				.where(and(isMine(row), sql`changes() > 0`)),
			endAnnounced: announceStatement(work, row, 'subtitles.translated', now),
			batchesDeleted: db.delete(translatedBatches).where(and(hasBatch(row), sql`changes() > 0`)),
		})
		return stored.length > 0
	},
})
