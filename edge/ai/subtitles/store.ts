import { and, eq, sql } from 'drizzle-orm'
import { assetSubtitles } from '#schema/tables/ai/subtitles.ts'
import { assets } from '#schema/tables/video/assets.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { AssetRef, UploadedSubtitles } from '../../video/assets/store.ts'

export type SubtitleFile = Pick<UploadedSubtitles, 'language' | 'key'>

const ofAsset = ({ id, orgId }: AssetRef) =>
	sql`${assetSubtitles.assetId} in (
		select ${assets.id} from ${assets} where ${assets.id} = ${id} and ${assets.orgId} = ${orgId}
	)`

export const subtitleStore = (db: Db) => ({
	async list(assetId: string): Promise<UploadedSubtitles[]> {
		return db
			.select({ language: assetSubtitles.language, key: assetSubtitles.key, source: assetSubtitles.source })
			.from(assetSubtitles)
			.where(eq(assetSubtitles.assetId, assetId))
	},

	/** Adds a language, unless it exists, the asset is deleted, or has the maximum number. */
	async insert(
		{ id, orgId }: AssetRef,
		{ language, key }: SubtitleFile,
		maxLanguages: number,
		now: number,
	): Promise<boolean> {
		const inserted = await insertSelect(
			db,
			assetSubtitles,
			{
				assetId: sql`asset.id`,
				language: sql`${language}`,
				key: sql`${key}`,
				source: sql`'upload'`,
				updatedAt: sql`${now}`,
			},
			sql`from assets as asset where asset.id = ${id} and asset.org_id = ${orgId}
				and (select count(*) from asset_subtitles as made where made.asset_id = asset.id) < ${maxLanguages}`,
		)
			.onConflictDoNothing()
			.returning({ key: assetSubtitles.key })
		return inserted.length > 0
	},

	/** Replaces a file only if it is still the one with the key `before`. */
	async replace(
		asset: AssetRef,
		{ language, key }: SubtitleFile,
		before: string,
		now: number,
	): Promise<boolean> {
		const replaced = await db
			.update(assetSubtitles)
			.set({ key, source: 'upload', updatedAt: now })
			.where(and(ofAsset(asset), eq(assetSubtitles.language, language), eq(assetSubtitles.key, before)))
			.returning({ key: assetSubtitles.key })
		return replaced.length > 0
	},

	/** Returns the key of the deleted file. */
	async delete(asset: AssetRef, language: string): Promise<string | undefined> {
		const [row] = await db
			.delete(assetSubtitles)
			.where(and(ofAsset(asset), eq(assetSubtitles.language, language)))
			.returning({ key: assetSubtitles.key })
		return row?.key
	},
})
