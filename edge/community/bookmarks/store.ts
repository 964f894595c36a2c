import { and, eq, sql } from 'drizzle-orm'
import { bookmarks } from '#schema/tables/community/content.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { type Viewer, visibleSpaces } from '../access/visible-spaces.ts'
import { visiblePost } from '../posts/store.ts'

export type BookmarkRow = {
	id: number
	postId: number
	createdAt: number
	body: string
	spaceId: number
	spaceName: string
	spaceSlug: string
}

/** Joins from the viewer's bookmarks, so that their index gives the order. Skips posts that the viewer can't see. */
const ofViewer = (viewer: Viewer) => sql`
	from bookmarks b
	cross join posts p on p.id = b.post_id and p.deleted_at is null
	cross join spaces s on s.id = p.space_id
	where b.user_id = ${viewer.userId} and b.community_id = ${viewer.communityId} and ${visibleSpaces(viewer)}`

const columns = sql`b.id, b.post_id as postId, b.created_at as createdAt, p.body, s.id as spaceId,
	s.name as spaceName, s.slug as spaceSlug`

export const bookmarkStore = (db: Db) => ({
	async list(viewer: Viewer, limit: number, offset: number): Promise<BookmarkRow[]> {
		return db.all(
			sql`
				select ${columns} ${ofViewer(viewer)}
				order by b.created_at desc, b.id desc limit ${limit} offset ${offset}
			`,
		)
	},

	async count(viewer: Viewer): Promise<number> {
		const [row] = await db.all<{ count: number }>(sql`select count(*) as count ${ofViewer(viewer)}`)
		return row?.count ?? 0
	},

	async listInSpace(viewer: Viewer, spaceId: number): Promise<BookmarkRow[]> {
		return db.all(
			sql`
				select ${columns} ${ofViewer(viewer)} and p.space_id = ${spaceId}
				order by b.created_at desc, b.id desc
			`,
		)
	},

	/** Returns false if the bookmark exists already, or the viewer can't see the post. */
	async insert(viewer: Viewer, postId: number): Promise<boolean> {
		const rows = await insertSelect(
			db,
			bookmarks,
			{ userId: viewer.userId, communityId: viewer.communityId, postId: sql`p.id`, createdAt: viewer.now },
			sql`from ${visiblePost(viewer, postId)}`,
		)
			.onConflictDoNothing({ target: [bookmarks.userId, bookmarks.postId] })
			.returning({ id: bookmarks.id })
		return rows.length === 1
	},

	async remove({ userId, communityId }: Viewer, postId: number): Promise<void> {
		await db
			.delete(bookmarks)
			.where(
				and(
					eq(bookmarks.userId, userId),
					eq(bookmarks.postId, postId),
					eq(bookmarks.communityId, communityId),
				),
			)
	},
})
