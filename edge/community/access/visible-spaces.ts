import { type SQL, sql } from 'drizzle-orm'
import type { CommunityRole } from '#schema/contract/community/fields.ts'

/** For whom something is looked up, and when: access ends by itself. */
export type Viewer = {
	userId: number
	membershipId: number
	communityId: number
	role: CommunityRole
	now: number
}

/**
 * The one condition for what a member may see, for statements in which `spaces` is called `s`. Every query that
 * shows anything of a community has it; there is no second one to forget.
 */
export function visibleSpaces({ communityId, membershipId, role, now }: Viewer): SQL {
	if (role === 'owner' || role === 'admin') return sql`s.community_id = ${communityId}`
	return sql`s.community_id = ${communityId} and (s.visibility = 'public' or ${granted(sql`${membershipId}`, now)})`
}

/** The same for a member who is read by the same statement, as `m`. */
export const spacesVisibleToMember = (now: number): SQL =>
	sql`m.status = 'active' and s.community_id = m.community_id and (m.role in ('owner', 'admin') or s.visibility = 'public' or ${granted(sql`m.id`, now)})`

const granted = (membershipId: SQL, now: number) =>
	sql`exists (select 1 from access_group_spaces gs join access_groups g on g.id = gs.access_group_id and g.status = 'active' join access_group_members gm on gm.access_group_id = gs.access_group_id and gm.membership_id = ${membershipId} where gs.space_id = s.id and (gm.expires_at is null or gm.expires_at > ${now}))`

/** For domain events: the organization that runs the community, if any does. */
export const orgOf = (communityId: number | SQL): SQL =>
	sql`(select c.org_id from communities c where c.id = ${communityId})`
