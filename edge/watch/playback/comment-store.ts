import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { assets } from '#schema/tables/video/assets.ts'
import { comments } from '#schema/tables/watch/playback.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { comesBefore, type Position } from '../../platform/database/keyset.ts'

export type CommentRow = typeof comments.$inferSelect

const isComment = (assetId: string, id: string) => and(eq(comments.id, id), eq(comments.assetId, assetId))

export const commentStore = (db: Db) => ({
	/** Inserts only while the asset is `ready`. */
	insertStatement(row: CommentRow) {
		return insertSelect(
			db,
			comments,
			{
				id: row.id,
				assetId: row.assetId,
				authorName: row.authorName,
				body: row.body,
				timestampSec: row.timestampSec,
				createdAt: row.createdAt,
			},
			sql`where exists (
				select 1 from ${assets} where ${assets.id} = ${row.assetId} and ${assets.status} = 'ready'
			)`,
		).returning({ id: comments.id })
	},

	async list(
		assetId: string,
		filter: 'all' | 'visible',
		limit: number,
		position: Position | null,
	): Promise<CommentRow[]> {
		const isVisible: SQL | undefined = filter === 'visible' ? isNull(comments.hiddenAt) : undefined
		return db
			.select()
			.from(comments)
			.where(
				and(eq(comments.assetId, assetId), isVisible, comesBefore(comments.createdAt, comments.id, position)),
			)
			.orderBy(desc(comments.createdAt), desc(comments.id))
			.limit(limit + 1)
	},

	async setHidden(assetId: string, id: string, hiddenAt: number | null): Promise<CommentRow | undefined> {
		const [row] = await db.update(comments).set({ hiddenAt }).where(isComment(assetId, id)).returning()
		return row
	},

	deleteStatement(assetId: string, id: string) {
		return db.delete(comments).where(isComment(assetId, id)).returning({ id: comments.id })
	},
})
