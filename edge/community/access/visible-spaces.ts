import { type SQL, sql } from 'drizzle-orm'
import type { CommunityRole } from '#schema/contract/community/fields.ts'

/** The member whose access a query checks, and the time, because access can expire. */
export type Viewer = {
	userId: number
	membershipId: number
	communityId: number
	role: CommunityRole
	now: number
}

/**
 * Returns the one condition that decides which spaces a member may see. Expects `spaces` aliased as `s`. Every query that shows
 * content of a community must include it.
 */
export function visibleSpaces({ communityId, membershipId, role, now }: Viewer): SQL {
	if (role === 'owner' || role === 'admin') return sql`s.community_id = ${communityId}`
	return sql`
		s.community_id = ${communityId} and (s.visibility = 'public' or ${isGranted(sql`${membershipId}`, now)})
	`
}

/** Returns the same condition for members that the statement selects as `m`. */
export const selectSpacesVisibleToMember = (now: number): SQL =>
	sql`
		m.status = 'active'
		and s.community_id = m.community_id
		and (m.role in ('owner', 'admin') or s.visibility = 'public' or ${isGranted(sql`m.id`, now)})
	`

/**
 * SQL condition: the viewer may read a hidden post or comment `row`, as its author or a moderator. Account deletion may have
 * erased its text.
 */
export const mayReadHidden = ({ role, userId }: Viewer, row: SQL): SQL =>
	sql`(
		${row}.hidden_at is not null
		and ${row}.body <> ''
		and ${role === 'member' ? sql`${row}.author_id = ${userId}` : sql`true`}
	)`

/** Guards writes that depend only on a membership, so a running request of a removed member writes nothing. */
export const isStillMember = ({ membershipId }: Viewer): SQL =>
	sql`exists (select 1 from memberships v where v.id = ${membershipId} and v.status = 'active')`

const isGranted = (membershipId: SQL, now: number) =>
	sql`exists (
		select 1 from access_group_spaces gs
		join access_groups g on g.id = gs.access_group_id and g.status = 'active'
		join access_group_members gm on gm.access_group_id = gs.access_group_id
			and gm.membership_id = ${membershipId}
		where gs.space_id = s.id and (gm.expires_at is null or gm.expires_at > ${now})
	)`

/** SQL for the organization of a community, or null; used in domain events. */
export const selectOrgId = (communityId: number | SQL): SQL =>
	sql`(select c.org_id from communities c where c.id = ${communityId})`
