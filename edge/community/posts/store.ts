import { sql } from 'drizzle-orm'
import type { Db } from '../../platform/database.ts'
import { type Viewer, visibleSpaces } from '../access/visible-spaces.ts'

/** For statements about something else that a post must be there for: `p` is the post, `s` its space. */
export const visiblePost = (viewer: Viewer, postId: number) =>
	sql`posts p join spaces s on s.id = p.space_id where p.id = ${postId} and p.deleted_at is null and ${visibleSpaces(viewer)}`

export const postStore = (db: Db) => ({
	async isVisible(viewer: Viewer, postId: number): Promise<boolean> {
		const rows = await db.all(sql`select p.id from ${visiblePost(viewer, postId)}`)
		return rows.length === 1
	},
})
