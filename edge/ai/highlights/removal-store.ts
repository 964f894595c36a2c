import { eq } from 'drizzle-orm'
import { highlights } from '#schema/tables/ai/highlights.ts'
import type { DeleteOfAsset } from '../../platform/deps.ts'

export const deleteHighlightsStatements: DeleteOfAsset = (db, assetId) => [
	db.delete(highlights).where(eq(highlights.assetId, assetId)),
]
