import { sql } from 'drizzle-orm'
import { postFollowers } from '#schema/tables/community/content.ts'
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
			where f.post_id = ${postId} and f.unfollowed_at is null
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
			.onConflictDoUpdate({
				target: [postFollowers.userId, postFollowers.postId],
				set: { unfollowedAt: null, createdAt: viewer.now },
				setWhere: sql`post_followers.unfollowed_at is not null`,
			})
			.returning({ id: postFollowers.id })
		return rows.length === 1
	},

	/**
	 * Unfollows a post that the viewer sees or has followed. The row stays, so that a later comment does not follow the post
	 * again. Returns false for other posts.
	 */
	async unfollow(viewer: Viewer, postId: number): Promise<boolean> {
		const { userId, communityId, now } = viewer
		const rows = await insertSelect(
			db,
			postFollowers,
			{ userId, postId: sql`p.id`, createdAt: now, unfollowedAt: now },
			sql`
				from posts p
				where p.id = ${postId}
					and p.community_id = ${communityId}
					and (
						exists (select 1 from post_followers f where f.user_id = ${userId} and f.post_id = p.id)
						or exists (select 1 from ${visiblePost(viewer, postId)})
					)
			`,
		)
			.onConflictDoUpdate({
				target: [postFollowers.userId, postFollowers.postId],
				set: { unfollowedAt: sql`coalesce(post_followers.unfollowed_at, ${now})` },
			})
			.returning({ id: postFollowers.id })
		return rows.length === 1
	},
})
