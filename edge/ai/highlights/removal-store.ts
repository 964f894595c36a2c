import { and, eq } from 'drizzle-orm'
import { highlights } from '#schema/tables/ai/highlights.ts'
import type { DeleteOfAsset } from '../../platform/deps.ts'

export const deleteHighlightsStatements: DeleteOfAsset = (db, assetId, condition) => [
	db.delete(highlights).where(and(eq(highlights.assetId, assetId), condition)),
]
