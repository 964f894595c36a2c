import { eq } from 'drizzle-orm'
import { assetSubtitles } from '#schema/tables/ai/subtitles.ts'
import { subtitleTranslations, translatedBatches } from '#schema/tables/ai/translations.ts'
import type { DeleteOfAsset } from '../../platform/deps.ts'

export const deleteSubtitlesStatements: DeleteOfAsset = (db, assetId) => [
	db.delete(assetSubtitles).where(eq(assetSubtitles.assetId, assetId)),
	db.delete(subtitleTranslations).where(eq(subtitleTranslations.assetId, assetId)),
	db.delete(translatedBatches).where(eq(translatedBatches.assetId, assetId)),
]
