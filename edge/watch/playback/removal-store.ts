import { eq } from 'drizzle-orm'
import { comments, reactionCounts, reactions } from '#schema/tables/watch/playback.ts'
import type { DeleteOfAsset } from '../../platform/deps.ts'

export const deleteViewerRowsStatements: DeleteOfAsset = (db, assetId) => [
	db.delete(comments).where(eq(comments.assetId, assetId)),
	db.delete(reactions).where(eq(reactions.assetId, assetId)),
	db.delete(reactionCounts).where(eq(reactionCounts.assetId, assetId)),
]
