import { type SQL, sql } from 'drizzle-orm'
import type { NotificationPreference } from '#schema/contract/community/member/notifications.ts'
import { postFollowers } from '#schema/tables/community/content.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'

/** Every comment notifies all followers. Beyond this number, members follow a post only if they ask to. */
export const MAX_DEFAULT_FOLLOWERS = 500

const preference: NotificationPreference = 'follow_participated_posts'

/** SQL condition: the membership follows the posts that it takes part in. */
export const followsByDefault = (membershipId: SQL | number): SQL<number> =>
	sql<number>`not exists (
		select 1 from notification_mutes q where q.membership_id = ${membershipId} and q.kind = ${preference}
	)`

/**
 * Returns a statement that makes the author `m` of a post or comment follow the post `p`, both selected by `from`. Someone
 * who unfollowed the post has a row already, so this choice stays.
 */
export const followByDefaultStatement = (db: Db, now: number, from: SQL) =>
	insertSelect(
		db,
		postFollowers,
		{ userId: sql`m.user_id`, postId: sql`p.id`, createdAt: now },
		sql`
			${from}
				and m.status = 'active'
				and ${followsByDefault(sql`m.id`)}
				and (
					select count(*) from (
						select 1 from post_followers f
						where f.post_id = p.id and f.unfollowed_at is null limit ${MAX_DEFAULT_FOLLOWERS}
					)
				) < ${MAX_DEFAULT_FOLLOWERS}
		`,
	).onConflictDoNothing({ target: [postFollowers.userId, postFollowers.postId] })
