import { and, eq, notInArray, sql } from 'drizzle-orm'
import type { CommunityRole } from '#schema/contract/community/fields.ts'
import { memberships } from '#schema/tables/community.ts'
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

export type CardRow = Omit<
	ProfileRow,
	'email' | 'commentsCount' | 'followersCount' | 'communityId' | 'communityName' | 'communitySlug'
>
type Change = Partial<Pick<typeof memberships.$inferSelect, 'avatarUrl' | 'headline' | 'bio'>>

export const memberStore = (db: Db) => ({
	async list({ communityId }: Viewer, limit: number, offset: number): Promise<CardRow[]> {
		return db.all(sql`
			select m.id, m.user_id as userId, u.name, m.avatar_url as avatarUrl, m.headline, m.bio, m.role,
				m.created_at as createdAt
			from memberships m
			cross join users u on u.id = m.user_id
			where m.community_id = ${communityId} and m.status = 'active'
			order by m.created_at, m.id limit ${limit} offset ${offset}`)
	},

	async update({ membershipId, now }: Viewer, change: Change): Promise<void> {
		await db
			.update(memberships)
			.set({ ...change, updatedAt: now })
			.where(eq(memberships.id, membershipId))
	},

	/** False for those whom the community needs. */
	async deactivate({ membershipId, now }: Viewer): Promise<boolean> {
		const rows = await db
			.update(memberships)
			.set({ status: 'inactive', updatedAt: now })
			.where(
				and(
					eq(memberships.id, membershipId),
					eq(memberships.status, 'active'),
					notInArray(memberships.role, ['owner', 'admin']),
				),
			)
			.returning({ id: memberships.id })
		return rows.length === 1
	},

	async findProfile({ communityId }: Viewer, memberId: number): Promise<ProfileRow | undefined> {
		const [row] = await db.all<ProfileRow>(sql`
			select m.id, m.user_id as userId, u.name, u.email, m.avatar_url as avatarUrl, m.headline, m.bio, m.role,
				m.created_at as createdAt,
				(select count(*) from post_comments c where c.author_id = m.user_id and c.community_id = m.community_id
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
