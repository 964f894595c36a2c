import { sql } from 'drizzle-orm'
import { communities, memberships } from '#schema/tables/community/community.ts'
import { accountDeletionRequests as requests } from '#schema/tables/operations/account-deletion.ts'
import { markForErasureStatement } from '../../../accounts/managed/managed-people.ts'
import { removeCommunityStatements } from '../../../community/communities/removal-store.ts'
import { hasAccount } from '../../../community/people.ts'
import type { Db } from '../../../platform/database/database.ts'
import { selectSoleMemberOrgs } from './sole-member-orgs.ts'

/** Selects communities that the person owns, or whose organization is deleted with them. */
const affectedCommunities = (userId: number) => sql`(
	select mine.community_id from memberships mine where mine.user_id = ${userId} and mine.role = 'owner'
	union select run.id from communities run where run.org_id in ${selectSoleMemberOrgs(userId)}
)`

/**
 * Selects one new owner per community, by the same rules as for organizations. People whose deletion is not requested
 * come first, then admins, then moderators, then the earliest members.
 */
const newOwners = (userId: number) => sql`(
	select ranked.successor
	from (
		select member.id as successor,
			row_number() over (
				partition by member.community_id
				order by exists (
					select 1 from ${requests} as also
					where also.user_id = member.user_id and also.status in ('pending', 'confirmed')
				),
					case member.role when 'admin' then 0 when 'moderator' then 1 else 2 end, member.created_at,
					member.id
			) as place
		from memberships member
		where member.community_id in ${affectedCommunities(userId)}
			and member.user_id <> ${userId}
			and member.status = 'active'
			and ${hasAccount(sql`member.user_id`)}
			and not exists (
				select 1 from memberships owner
				where owner.community_id = member.community_id
					and owner.role = 'owner'
					and owner.status = 'active'
					and owner.user_id <> ${userId}
			)
	) as ranked
	where ranked.place = 1
)`

const hasOtherMembers = (userId: number) =>
	sql`exists (
		select 1 from memberships other
		where other.community_id = communities.id
			and other.status = 'active'
			and other.user_id <> ${userId}
			and ${hasAccount(sql`other.user_id`)}
	)`

/**
 * Returns statements that give a new owner to communities that the person owned alone or whose organization is deleted.
 * Communities without other members are deleted, unless a remaining organization runs them. Managed people of the other
 * communities are marked for erasure, because nobody vouches for them any more.
 */
export const transferCommunitiesStatements = (db: Db, userId: number, now: number) => [
	db
		.update(memberships)
		.set({ role: 'owner', updatedAt: now })
		.where(sql`id in ${newOwners(userId)}`),
	...Object.values(
		removeCommunityStatements(
			db,
			sql`
				(
					org_id in ${selectSoleMemberOrgs(userId)}
					or org_id is null
					and communities.id in (select m.community_id from memberships m where m.user_id = ${userId})
				)
				and not ${hasOtherMembers(userId)}
			`,
			now,
		),
	),
	markForErasureStatement(
		db,
		sql`(
			select managed.user_id from communities left_behind
			join memberships managed on managed.community_id = left_behind.id
			where left_behind.org_id in ${selectSoleMemberOrgs(userId)}
		)`,
		{ deleteContent: false, now },
	),
	db
		.update(communities)
		.set({ orgId: null, updatedAt: now })
		.where(sql`org_id in ${selectSoleMemberOrgs(userId)}`),
]
