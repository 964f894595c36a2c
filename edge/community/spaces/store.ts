import { sql } from 'drizzle-orm'
import type { SpacePolicy } from '#schema/contract/community/fields.ts'
import {
	type CommunityTopic,
	MAX_UNREAD,
	MAX_UNREAD_EXAMINED,
	type MemberSpace,
	type MemberSpaceGroup,
} from '#schema/contract/community/member/spaces.ts'
import { memberships } from '#schema/tables/community/community.ts'
import type { Db } from '../../platform/database/database.ts'
import { selectSpacesVisibleToMember, type Viewer, visibleSpaces } from '../access/visible-spaces.ts'

export type SpaceRow = {
	id: number
	name: string
	slug: string
	spaceType: MemberSpace['space_type']
	spaceGroupId: number | null
	emoji: string | null
	description: string
	visibility: MemberSpace['visibility']
	postsCount: number
	postPolicy: SpacePolicy
	commentPolicy: SpacePolicy
	unreadCount: number
}
export type TopicRow = { id: number; name: string; slug: string; postsCount: number; spaceId: number }

/**
 * SQL for the number of unread posts in the space `s`. Stops at the maximum, and reads more only for an author of many
 * of the newest posts.
 */
const countUnread = ({ membershipId, userId }: Viewer) => sql`(
	select count(*) from (
		select 1 from (
			select n.author_id from memberships v
			cross join posts n on n.space_id = s.id
			where v.id = ${membershipId}
				and n.deleted_at is null
				and n.created_at > coalesce(json_extract(v.spaces_seen, '$."' || s.id || '"'), v.created_at)
			order by n.created_at desc limit ${MAX_UNREAD_EXAMINED}
		)
		where author_id is not ${userId}
		limit ${MAX_UNREAD}
	)
)`

const columns = (viewer: Viewer) => sql`
	s.id, s.name, s.slug, s.space_type as spaceType, s.space_group_id as spaceGroupId, s.emoji, s.description,
	s.visibility, s.posts_count as postsCount, s.post_policy as postPolicy, s.comment_policy as commentPolicy,
	${countUnread(viewer)} as unreadCount
`

export const spaceStore = (db: Db) => ({
	async list(viewer: Viewer): Promise<SpaceRow[]> {
		return db.all(
			sql`select ${columns(viewer)} from spaces s where ${visibleSpaces(viewer)} order by s.position, s.id`,
		)
	},

	async findFirst(viewer: Viewer): Promise<SpaceRow | undefined> {
		const [row] = await db.all<SpaceRow>(
			sql`
				select ${columns(viewer)} from spaces s where ${visibleSpaces(viewer)}
				order by s.position, s.id limit 1
			`,
		)
		return row
	},

	async find(viewer: Viewer, spaceId: number): Promise<SpaceRow | undefined> {
		const [row] = await db.all<SpaceRow>(
			sql`select ${columns(viewer)} from spaces s where s.id = ${spaceId} and ${visibleSpaces(viewer)}`,
		)
		return row
	},

	/** Returns false if the viewer can't see the space. */
	async markRead(viewer: Viewer, spaceId: number): Promise<boolean> {
		// The path is built here, because D1 binds numbers as floats: SQL would turn 1 into the text `1.0`.
		const path = `$."${spaceId}"`
		const rows = await db
			.update(memberships)
			.set({
				spacesSeen: sql`json_set(
					spaces_seen,
					${path},
					max(${viewer.now}, coalesce(json_extract(spaces_seen, ${path}), 0))
				)`,
			})
			.where(
				sql`
					id = ${viewer.membershipId}
					and status = 'active'
					and exists (select 1 from spaces s where s.id = ${spaceId} and ${visibleSpaces(viewer)})
				`,
			)
			.returning({ id: memberships.id })
		return rows.length === 1
	},

	/** Lists the spaces that both the member and the viewer can see. */
	async listForMember(viewer: Viewer, memberId: number): Promise<SpaceRow[]> {
		return db.all(sql`
			select ${columns(viewer)} from memberships m
			cross join spaces s on s.community_id = m.community_id
			where m.id = ${memberId} and m.community_id = ${viewer.communityId}
				and ${selectSpacesVisibleToMember(viewer.now)} and ${visibleSpaces(viewer)}
			order by s.position, s.id`)
	},

	async isMember({ communityId }: Viewer, memberId: number): Promise<boolean> {
		const rows = await db.all(
			sql`select id from memberships where id = ${memberId} and community_id = ${communityId}`,
		)
		return rows.length === 1
	},

	/** Lists groups with at least one visible space; with `groupId`, only that group. */
	async listGroups(viewer: Viewer, groupId?: number): Promise<MemberSpaceGroup[]> {
		const isRequested = groupId === undefined ? sql`true` : sql`g.id = ${groupId}`
		return db.all(sql`
			select g.id, g.name, g.slug from space_groups g
			where g.community_id = ${viewer.communityId} and ${isRequested}
				and exists (select 1 from spaces s where s.space_group_id = g.id and ${visibleSpaces(viewer)})
			order by g.position, g.id`)
	},

	/** Lists all topics of the community, counting only posts in visible spaces. */
	async listAllTopics(viewer: Viewer): Promise<CommunityTopic[]> {
		return db.all(sql`
			with used as materialized (
				select c.tag_id, sum(c.posts_count) as posts from spaces s
				cross join space_topics c on c.space_id = s.id
				where ${visibleSpaces(viewer)}
				group by c.tag_id
			)
			select t.id, t.name, t.slug, coalesce(used.posts, 0) as posts_count from tags t
			left join used on used.tag_id = t.id
			where t.community_id = ${viewer.communityId}
			order by posts_count desc, t.id
		`)
	},

	async listTopics(spaceId: number): Promise<TopicRow[]> {
		return db.all(sql`
			select t.id, t.name, t.slug, c.posts_count as postsCount, c.space_id as spaceId
			from space_topics c
			cross join tags t on t.id = c.tag_id
			where c.space_id = ${spaceId} and c.posts_count > 0
			order by c.posts_count desc, t.id`)
	},
})
