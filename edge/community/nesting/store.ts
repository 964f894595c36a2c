import { and, eq } from 'drizzle-orm'
import { postComments, posts } from '#schema/tables/community/content.ts'
import type { Db } from '../../platform/database/database.ts'

/** Neither posts nor comments ever move, so what these queries find stays true. */
export const nestingStore = (db: Db) => ({
	async isInSpace(postId: number, spaceId: number): Promise<boolean> {
		const isThere = and(eq(posts.id, postId), eq(posts.spaceId, spaceId))
		return (await db.select({ id: posts.id }).from(posts).where(isThere)).length === 1
	},

	async isUnder(commentId: number, { postId, parentId }: { postId?: number; parentId?: number }) {
		const isThere = and(
			eq(postComments.id, commentId),
			postId === undefined ? undefined : eq(postComments.postId, postId),
			parentId === undefined ? undefined : eq(postComments.parentId, parentId),
		)
		return (await db.select({ id: postComments.id }).from(postComments).where(isThere)).length === 1
	},
})
