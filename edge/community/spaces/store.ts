import { sql } from 'drizzle-orm'
import type { MemberSpace } from '#schema/contract/community/spaces.ts'
import type { Db } from '../../platform/database.ts'
import { spacesVisibleToMember, type Viewer, visibleSpaces } from '../access/visible-spaces.ts'

export type SpaceRow = {
	id: number
	name: string
	slug: string
	spaceType: MemberSpace['space_type']
	spaceGroupId: number | null
}
export type TopicRow = { id: number; name: string; slug: string; postsCount: number; spaceId: number }

const columns = sql`s.id, s.name, s.slug, s.space_type as spaceType, s.space_group_id as spaceGroupId`

export const spaceStore = (db: Db) => ({
	async list(viewer: Viewer): Promise<SpaceRow[]> {
		return db.all(
			sql`select ${columns} from spaces s where ${visibleSpaces(viewer)} order by s.position, s.id`,
		)
	},

	async find(viewer: Viewer, spaceId: number): Promise<SpaceRow | undefined> {
		const [row] = await db.all<SpaceRow>(
			sql`select ${columns} from spaces s where s.id = ${spaceId} and ${visibleSpaces(viewer)}`,
		)
		return row
	},

	/** What both the member and the viewer see. */
	async listOfMember(viewer: Viewer, memberId: number): Promise<SpaceRow[]> {
		return db.all(sql`
			select ${columns} from memberships m
			cross join spaces s on s.community_id = m.community_id
			where m.id = ${memberId} and m.community_id = ${viewer.communityId}
				and ${spacesVisibleToMember(viewer.now)} and ${visibleSpaces(viewer)}
			order by s.position, s.id`)
	},

	async isMember({ communityId }: Viewer, memberId: number): Promise<boolean> {
		const rows = await db.all(
			sql`select id from memberships where id = ${memberId} and community_id = ${communityId}`,
		)
		return rows.length === 1
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
