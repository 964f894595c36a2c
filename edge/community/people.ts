import { type SQL, sql } from 'drizzle-orm'
import type { Author } from '#schema/contract/community/fields.ts'

/** SQL for the name of membership `m` of user `u` in its community. */
export const memberName = sql`coalesce(m.name, u.name)`

/** SQL condition: the user has an account and is no managed member. */
export const hasAccount = (userId: SQL): SQL =>
	sql`exists (select 1 from users a where a.id = ${userId} and a.managed_key is null)`

/**
 * Returns SQL for a person as JSON, with their name in the community; null once the account is deleted. Uses a subquery,
 * because a join would drop the rows of people who left.
 */
export const selectPerson = (userId: SQL, communityId: number): SQL =>
	sql`(
		select json_object(
			'id', u.id, 'community_member_id', m.id, 'name', ${memberName}, 'avatar_url', m.avatar_url,
			'role', case when m.status = 'active' then m.role end,
			'headline', case when m.status = 'active' then m.headline end
		)
		from users u
		left join memberships m on m.community_id = ${communityId} and m.user_id = u.id
		where u.id = ${userId}
	)`

/** Returns SQL for the user of a membership; null once the membership is deleted. */
export const selectUserId = (membershipId: number): SQL<number> =>
	sql<number>`(select e.user_id from memberships e where e.id = ${membershipId})`

/** Returns the target of an entry of the audit log about a member. */
export const memberTarget = (id: number) => ({
	kind: 'community_member' as const,
	id,
	userId: selectUserId(id),
})

export const viewPerson = (json: string | null): Author => (json === null ? null : JSON.parse(json))
