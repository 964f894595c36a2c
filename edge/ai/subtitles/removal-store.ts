import { and, eq } from 'drizzle-orm'
import { assetSubtitles } from '#schema/tables/ai/subtitles.ts'
import { subtitleTranslations, translatedBatches } from '#schema/tables/ai/translations.ts'
import type { DeleteOfAsset } from '../../platform/deps.ts'

export const deleteSubtitlesStatements: DeleteOfAsset = (db, assetId, condition) => [
	db.delete(assetSubtitles).where(and(eq(assetSubtitles.assetId, assetId), condition)),
	db.delete(subtitleTranslations).where(and(eq(subtitleTranslations.assetId, assetId), condition)),
	db.delete(translatedBatches).where(and(eq(translatedBatches.assetId, assetId), condition)),
]
