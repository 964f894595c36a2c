import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { reactions } from '#schema/tables/community-content.ts'
import type { Db } from '../../platform/database.ts'
import { type Viewer, visibleSpaces } from '../access/visible-spaces.ts'

export type TargetType = 'Post' | 'Comment' | 'Image'

const columnOf = {
	Post: reactions.postId,
	Comment: reactions.commentId,
	Image: reactions.imageId,
} as const

const ids = {
	Post: sql`p.id, null, null`,
	Comment: sql`null, x.id, null`,
	Image: sql`null, null, x.id`,
} as const

const target = (type: TargetType, id: number) =>
	type === 'Post'
		? sql`posts p join spaces s on s.id = p.space_id where p.id = ${id}`
		: type === 'Comment'
			? sql`comments x join posts p on p.id = x.post_id join spaces s on s.id = p.space_id where x.id = ${id} and x.deleted_at is null`
			: sql`images x join posts p on p.id = x.post_id join spaces s on s.id = p.space_id where x.id = ${id}`

export const reactionStore = (db: Db) => ({
	/** One of a membership for each target; undefined when the target is not there for the viewer. */
	async put(viewer: Viewer, type: TargetType, id: number, emoji: string) {
		const column = columnOf[type]
		const [row] = await db
			.insert(reactions)
			.select(
				sql`select null, ${viewer.membershipId}, ${ids[type]}, ${emoji}, ${viewer.now} from ${target(type, id)} and p.deleted_at is null and ${visibleSpaces(viewer)}`,
			)
			.onConflictDoUpdate({
				target: [reactions.membershipId, column],
				targetWhere: isNotNull(column),
				set: { emoji },
			})
			.returning({ id: reactions.id, reaction: reactions.emoji })
		return row
	},

	async remove({ membershipId }: Viewer, type: TargetType, id: number): Promise<void> {
		await db.delete(reactions).where(and(eq(reactions.membershipId, membershipId), eq(columnOf[type], id)))
	},
})
