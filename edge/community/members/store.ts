import { and, eq, notInArray, type SQL, sql } from 'drizzle-orm'
import type { CommunityRole } from '#schema/contract/community/fields.ts'
import type { ProfileValue } from '#schema/contract/community/member/members.ts'
import { memberships } from '#schema/tables/community/community.ts'
import { auditIfChangedStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { endAccessStatements } from '../access/store.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { avatarColumns, isReplacedBy, purgeAvatars } from '../avatars/store.ts'
import { releasePlacesStatements, selectPlacesLeftByMember } from '../events/places.ts'
import { computeFirstNotifyAt } from '../notifications/pending-notification.ts'
import { type PageStart, selectPageByTime } from '../page-start.ts'
import { memberName, memberTarget } from '../people.ts'
import { memberIndex, selectCandidates, selectPage } from '../search/candidates.ts'

export type ProfileRow = {
	id: number
	userId: number
	name: string
	email: string | null
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
	/** JSON. */
	communityReactions: string
	/** JSON: `profile` contains the values by field id, `fields` the field definitions. */
	profile: string
	fields: string
}

export type CardRow = Omit<
	ProfileRow,
	| 'email'
	| 'commentsCount'
	| 'followersCount'
	| 'communityId'
	| 'communityName'
	| 'communitySlug'
	| 'communityReactions'
	| 'profile'
	| 'fields'
>
export type ProfileChange = Partial<
	Pick<typeof memberships.$inferSelect, 'name' | 'avatarUrl' | 'headline' | 'bio'>
>

const cardColumns = sql`
	m.id, m.user_id as userId, ${memberName} as name, m.avatar_url as avatarUrl, m.headline, m.bio, m.role,
	m.created_at as createdAt
`

export const memberStore = (db: Db) => ({
	async list({ communityId }: Viewer, limit: number, start: PageStart): Promise<CardRow[]> {
		const { isAfter, inOrder } = selectPageByTime(sql`m`, start, limit)
		return db.all(sql`
			select ${cardColumns}
			from memberships m
			cross join users u on u.id = m.user_id
			where m.community_id = ${communityId} and m.status = 'active' and ${isAfter}
			${inOrder}`)
	},

	/** Finds members by words of name, headline and bio, or by substring if none has the words; sorted by name. */
	async search({ communityId }: Viewer, query: string, limit: number, offset: number): Promise<CardRow[]> {
		const visible = (candidates: SQL) =>
			sql`
				select m.id, ${memberName} as name from ${candidates}
				cross join memberships m on m.id = candidates.id
				cross join users u on u.id = m.user_id
				where m.community_id = ${communityId} and m.status = 'active'
			`
		const found = selectCandidates(memberIndex, communityId, query)
		const page = selectPage(found, visible, sql`2, 1`, limit, offset)
		return db.all(
			sql`
				select ${cardColumns} from (${page}) found
				cross join memberships m on m.id = found.id
				cross join users u on u.id = m.user_id
				order by 3, m.id
			`,
		)
	},

	async findUserId({ communityId }: Viewer, memberId: number): Promise<number | undefined> {
		const [row] = await db
			.select({ userId: memberships.userId })
			.from(memberships)
			.where(
				and(
					eq(memberships.id, memberId),
					eq(memberships.communityId, communityId),
					eq(memberships.status, 'active'),
				),
			)
		return row?.userId
	},

	/** Updates a profile. A value of null deletes that value. */
	async update(
		{ membershipId, now }: Viewer,
		{ avatarUrl, ...change }: ProfileChange,
		values: Record<string, ProfileValue | null>,
	): Promise<void> {
		const update = db
			.update(memberships)
			.set({
				...change,
				...(avatarUrl !== undefined && avatarColumns(avatarUrl)),
				profile: sql`json_patch(profile, ${JSON.stringify(values)})`,
				updatedAt: now,
				indexAt: computeFirstNotifyAt(now),
			})
			.where(eq(memberships.id, membershipId))
		if (avatarUrl === undefined) return void (await update)
		const replaced = sql`m.id = ${membershipId} and ${isReplacedBy(avatarUrl)}`
		await db.batch([purgeAvatars(db, replaced, now), update])
	},

	/** Ends the viewer's membership. Returns the promoted RSVPs; undefined for owners and admins, who can't leave. */
	async deactivate(
		work: UnitOfWork,
		{ communityId, membershipId, now }: Viewer,
		orgId: string | null,
	): Promise<number[] | undefined> {
		const { membershipEnded, rsvpsPromoted } = await batch(db, {
			membershipEnded: db
				.update(memberships)
				.set({ status: 'inactive', updatedAt: now })
				.where(
					and(
						eq(memberships.id, membershipId),
						eq(memberships.status, 'active'),
						notInArray(memberships.role, ['owner', 'admin']),
					),
				)
				.returning({ id: memberships.id }),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'member.left',
				orgId,
				payload: { communityId, memberId: membershipId },
			}),
			entryWritten: auditIfChangedStatement(work, {
				action: 'community_member.left',
				orgId,
				target: memberTarget(membershipId),
				details: { communityId },
			}),
			...releasePlacesStatements(db, selectPlacesLeftByMember(membershipId, now), now),
			accessEnded: endAccessStatements(db, membershipId),
		})
		return membershipEnded.length === 1 ? rsvpsPromoted.map((rsvp) => rsvp.id) : undefined
	},

	async findProfile({ communityId }: Viewer, memberId: number): Promise<ProfileRow | undefined> {
		const [row] = await db.all<ProfileRow>(sql`
			select m.id, m.user_id as userId, ${memberName} as name, coalesce(u.email, m.email) as email,
				m.avatar_url as avatarUrl, m.headline, m.bio, m.role, m.created_at as createdAt,
				(
					select count(*) from post_comments c
					cross join posts p on p.id = c.post_id
					where c.author_id = m.user_id
						and c.community_id = m.community_id
						and c.deleted_at is null
						and p.deleted_at is null
				) as commentsCount,
				(
					select count(distinct f.user_id) from posts p
					cross join post_followers f on f.post_id = p.id
						and f.user_id <> p.author_id
						and f.unfollowed_at is null
					where p.author_id = m.user_id and p.community_id = m.community_id and p.deleted_at is null
				) as followersCount,
				m.profile,
				(
					select json_group_array(
						json_object(
							'id', f.id, 'key', f.key, 'label', f.label, 'fieldType', f.field_type, 'options',
							json(f.options), 'position', f.position
						)
					)
					from profile_fields f
					where f.community_id = m.community_id
				) as fields,
				c.id as communityId, c.name as communityName, c.slug as communitySlug,
				c.reactions as communityReactions
			from memberships m
			cross join communities c on c.id = m.community_id
			cross join users u on u.id = m.user_id
			where m.id = ${memberId} and m.community_id = ${communityId} and m.status = 'active'
		`)
		return row
	},
})
