import { sql } from 'drizzle-orm'
import type { CommunityRole } from '#schema/contract/community/fields.ts'
import type { Db } from '../../platform/database.ts'
import type { Viewer } from '../access/visible-spaces.ts'

export type ProfileRow = {
	id: number
	userId: number
	name: string
	email: string
	avatarUrl: string | null
	headline: string | null
	bio: string | null
	role: CommunityRole
	createdAt: number
	commentsCount: number
	followersCount: number
	communityId: number
	communityName: string
	communitySlug: string
}

export const memberStore = (db: Db) => ({
	async findProfile({ communityId }: Viewer, memberId: number): Promise<ProfileRow | undefined> {
		const [row] = await db.all<ProfileRow>(sql`
			select m.id, m.user_id as userId, u.name, u.email, m.avatar_url as avatarUrl, m.headline, m.bio, m.role,
				m.created_at as createdAt,
				(select count(*) from comments c where c.author_id = m.user_id and c.community_id = m.community_id
					and c.deleted_at is null) as commentsCount,
				(select count(distinct f.user_id) from posts p cross join post_followers f on f.post_id = p.id
					where p.author_id = m.user_id and p.community_id = m.community_id and p.deleted_at is null) as followersCount,
				c.id as communityId, c.name as communityName, c.slug as communitySlug
			from memberships m
			cross join communities c on c.id = m.community_id
			cross join users u on u.id = m.user_id
			where m.id = ${memberId} and m.community_id = ${communityId} and m.status = 'active'`)
		return row
	},
})
