import { and, eq } from 'drizzle-orm'
import { comments, reactionCounts, reactions } from '#schema/tables/watch/playback.ts'
import type { DeleteOfAsset } from '../../platform/deps.ts'

export const deleteViewerRowsStatements: DeleteOfAsset = (db, assetId, condition) => [
	db.delete(comments).where(and(eq(comments.assetId, assetId), condition)),
	db.delete(reactions).where(and(eq(reactions.assetId, assetId), condition)),
	db.delete(reactionCounts).where(and(eq(reactionCounts.assetId, assetId), condition)),
]
