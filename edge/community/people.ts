import { type SQL, sql } from 'drizzle-orm'

/**
 * Of the person whose id stands in a column, or null once they are gone. As subqueries, not joins: a list must not
 * lose a row because somebody left.
 */
export const nameOf = (userId: SQL): SQL => sql`(select u.name from users u where u.id = ${userId})`

export const avatarOf = (userId: SQL, communityId: number): SQL =>
	sql`(select a.avatar_url from memberships a where a.community_id = ${communityId} and a.user_id = ${userId})`
