import { and, eq, sql } from 'drizzle-orm'
import { postFollowers, posts } from '#schema/tables/community/content.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { memberName } from '../people.ts'
import { visiblePost } from '../posts/store.ts'

export type FollowerRow = {
	id: number
	postId: number
	userId: number
	membershipId: number
	name: string
	avatarUrl: string | null
}

export const followerStore = (db: Db) => ({
	async list({ communityId }: Viewer, postId: number): Promise<FollowerRow[]> {
		return db.all(sql`
			select f.id, f.post_id as postId, f.user_id as userId, m.id as membershipId, ${memberName} as name,
				m.avatar_url as avatarUrl
			from post_followers f
			cross join users u on u.id = f.user_id
			cross join memberships m on m.community_id = ${communityId} and m.user_id = f.user_id
			where f.post_id = ${postId}
			order by f.id
		`)
	},

	/** Returns false if the viewer already follows the post or can't see it. */
	async insert(viewer: Viewer, postId: number): Promise<boolean> {
		const rows = await insertSelect(
			db,
			postFollowers,
			{ userId: viewer.userId, postId: sql`p.id`, createdAt: viewer.now },
			sql`from ${visiblePost(viewer, postId)}`,
		)
			.onConflictDoNothing({ target: [postFollowers.userId, postFollowers.postId] })
			.returning({ id: postFollowers.id })
		return rows.length === 1
	},

	async remove({ userId, communityId }: Viewer, postId: number): Promise<boolean> {
		const rows = await db
			.delete(postFollowers)
			.where(
				and(
					eq(postFollowers.userId, userId),
					eq(postFollowers.postId, postId),
					sql`exists (select 1 from ${posts} p where p.id = ${postId} and p.community_id = ${communityId})`,
				),
			)
			.returning({ id: postFollowers.id })
		return rows.length === 1
	},
})
