import { type SQL, sql } from 'drizzle-orm'
import type { Author } from '#schema/contract/community/fields.ts'

/** SQL for the name of membership `m` of user `u` in its community. */
export const memberName = sql`coalesce(m.name, u.name)`

/**
 * Returns SQL for a person as JSON, with their name in the community; null once the account is deleted. Uses a subquery,
 * because a join would drop the rows of people who left.
 */
export const personOf = (userId: SQL, communityId: number): SQL =>
	sql`(select json_object('id', u.id, 'community_member_id', m.id, 'name', ${memberName}, 'avatar_url', m.avatar_url) from users u left join memberships m on m.community_id = ${communityId} and m.user_id = u.id where u.id = ${userId})`

export const viewPerson = (json: string | null): Author => (json === null ? null : JSON.parse(json))
