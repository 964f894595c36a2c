import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { CommunityRole, MembershipStatus } from '#schema/contract/community/fields.ts'
import type { ContentType } from '#schema/contract/community/member/moderation.ts'
import { memberships } from '#schema/tables/community/community.ts'
import { flags } from '#schema/tables/community/content.ts'
import { auditIfChangedStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { endAccessStatements } from '../access/store.ts'
import { isStillMember, selectOrgId, type Viewer, visibleSpaces } from '../access/visible-spaces.ts'
import { parentAllowsReplies, visibleComment } from '../comments/store.ts'
import { releasePlacesStatements, selectPlacesLeftByMember } from '../events/places.ts'
import { memberTarget, selectPerson } from '../people.ts'
import { visiblePost } from '../posts/store.ts'

export type FlagRow = {
	id: number
	postId: number
	commentId: number | null
	reason: string
	createdAt: number
	dismissedAt: number | null
	deletedAt: number | null
	hiddenAt: number | null
	text: string
	/** JSON. */
	author: string | null
	reporter: string | null
	spaceId: number
	spaceName: string
	spaceSlug: string
}

export type HiddenRow = Pick<
	FlagRow,
	'postId' | 'commentId' | 'text' | 'author' | 'spaceId' | 'spaceName' | 'spaceSlug'
> & { hiddenAt: number; hiddenReason: string | null }

export type FlagFilter = {
	status: 'open' | 'all'
	content_type?: ContentType | undefined
	content_id?: number | undefined
}

const visibleFlags = (viewer: Viewer) => sql`
	from flags f
	left join post_comments x on x.id = f.comment_id
	cross join posts p on p.id = coalesce(f.post_id, x.post_id)
	cross join spaces s on s.id = p.space_id
	cross join memberships r on r.id = f.membership_id
	where f.community_id = ${viewer.communityId} and ${visibleSpaces(viewer)}`

const isOpen = sql`f.dismissed_at is null and p.deleted_at is null and x.deleted_at is null`

const columns = ({ communityId }: Viewer) => sql`
	f.id, p.id as postId, f.comment_id as commentId, f.reason, f.created_at as createdAt,
	f.dismissed_at as dismissedAt, coalesce(p.deleted_at, x.deleted_at) as deletedAt,
	coalesce(p.hidden_at, x.hidden_at) as hiddenAt, coalesce(x.body, p.body) as text,
	${selectPerson(sql`(case when x.id is null then p.author_id else x.author_id end)`, communityId)} as author,
	${selectPerson(sql`r.user_id`, communityId)} as reporter, s.id as spaceId, s.name as spaceName,
	s.slug as spaceSlug
`

export const moderationStore = (db: Db) => ({
	/** Returns false if the member has flagged the content before or can't see it. */
	async flag(
		work: UnitOfWork,
		viewer: Viewer,
		type: ContentType,
		id: number,
		reason: string,
	): Promise<boolean> {
		const { communityId, membershipId } = viewer
		const content = type === 'Post' ? visiblePost(viewer, id) : visibleComment(viewer, id)
		const column = type === 'Post' ? sql`o.post_id` : sql`o.comment_id`
		const { flagInserted } = await batch(db, {
			flagInserted: insertSelect(
				db,
				flags,
				{
					communityId,
					membershipId,
					...(type === 'Post' ? { postId: sql`p.id` } : { commentId: sql`x.id` }),
					reason,
					createdAt: viewer.now,
				},
				sql`from ${content} and ${isStillMember(viewer)}`,
			)
				.onConflictDoNothing()
				.returning({ id: flags.id }),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'flag.created',
				orgId: selectOrgId(communityId),
				payload: {
					communityId,
					flagId: sql`(select o.id from flags o where o.membership_id = ${membershipId} and ${column} = ${id})`,
					postId: type === 'Post' ? id : null,
					commentId: type === 'Comment' ? id : null,
				},
			}),
		})
		return flagInserted.length === 1
	},

	async isFlaggable(viewer: Viewer, type: ContentType, id: number): Promise<boolean> {
		const target = type === 'Post' ? visiblePost(viewer, id) : visibleComment(viewer, id)
		return (await db.all(sql`select 1 from ${target}`)).length === 1
	},

	async list(viewer: Viewer, filter: FlagFilter, limit: number, offset: number): Promise<FlagRow[]> {
		const { status, content_type: type, content_id: id } = filter
		const conditions = [
			status === 'open' && isOpen,
			type === 'Post' && sql`f.post_id ${id === undefined ? sql`is not null` : sql`= ${id}`}`,
			type === 'Comment' && sql`f.comment_id ${id === undefined ? sql`is not null` : sql`= ${id}`}`,
		].filter((condition) => condition !== false)
		return db.all(
			sql`
				select ${columns(viewer)} ${visibleFlags(viewer)}${sql.join(
					conditions.map(
						(condition) => sql`
					and ${condition}
				`,
					),
				)}
				order by f.created_at desc, f.id desc limit ${limit} offset ${offset}
			`,
		)
	},

	/** Lists hidden posts and comments that can be restored. */
	async listHidden(viewer: Viewer, limit: number, offset: number): Promise<HiddenRow[]> {
		const author = (id: SQL) => sql`${selectPerson(id, viewer.communityId)} as author`
		const space = sql`s.id as spaceId, s.name as spaceName, s.slug as spaceSlug`
		return db.all(sql`
			select p.id as postId, null as commentId, p.hidden_at as hiddenAt, p.hidden_reason as hiddenReason,
				p.body as text, ${author(sql`p.author_id`)}, ${space}
			from posts p
			cross join spaces s on s.id = p.space_id
			where p.community_id = ${viewer.communityId}
				and p.hidden_at is not null
				and p.body <> ''
				and ${visibleSpaces(viewer)}
			union all
			select p.id, x.id, x.hidden_at, x.hidden_reason, x.body, ${author(sql`x.author_id`)}, ${space}
			from post_comments x
			cross join posts p on p.id = x.post_id
			cross join spaces s on s.id = p.space_id
			left join post_comments y on y.id = x.parent_id
			where x.community_id = ${viewer.communityId}
				and x.hidden_at is not null
				and x.body <> ''
				and p.deleted_at is null
				and ${parentAllowsReplies}
				and ${visibleSpaces(viewer)}
			order by 3 desc, 1 desc, 2 desc limit ${limit} offset ${offset}
		`)
	},

	/** Dismisses all flags of the same content. Returns false if the viewer can't see the flag. */
	async dismiss(viewer: Viewer, flagId: number): Promise<boolean> {
		const {
			flagSeen: [flag],
		} = await batch(db, {
			flagDismissed: db
				.update(flags)
				.set({ dismissedAt: viewer.now })
				.where(
					and(
						isNull(flags.dismissedAt),
						sql`id in (
							select o.id from flags f
							join flags o on o.post_id = f.post_id
							where f.id = ${flagId}
							union all
							select o.id from flags f
							join flags o on o.comment_id = f.comment_id
							where f.id = ${flagId}
						)`,
						sql`exists (select 1 ${visibleFlags(viewer)} and f.id = ${flagId})`,
					),
				),
			flagSeen: db
				.select({ isSeen: sql<number>`exists (select 1 ${visibleFlags(viewer)} and f.id = ${flagId})` })
				.from(sql`(select 1)`),
		})
		return flag?.isSeen === 1
	},

	/**
	 * Changes the status of a member who has the status `from` and one of the roles. Returns the RSVPs that a ban promoted;
	 * undefined if nothing changed.
	 */
	async setStatus(
		work: UnitOfWork,
		{ communityId, now }: Viewer,
		memberId: number,
		move: { from: MembershipStatus; to: MembershipStatus; roles: readonly CommunityRole[] },
		orgId: string | null,
	): Promise<number[] | undefined> {
		const roles = sql`(select value from json_each(${JSON.stringify(move.roles)}))`
		const update = db
			.update(memberships)
			.set({ status: move.to, updatedAt: now })
			.where(
				and(
					eq(memberships.id, memberId),
					eq(memberships.communityId, communityId),
					eq(memberships.status, move.from),
					sql`role in ${roles}`,
				),
			)
			.returning({ id: memberships.id })
		const payload = { communityId, memberId }
		if (move.to !== 'banned') {
			const { memberUpdated } = await batch(db, {
				memberUpdated: update,
				eventRecorded: recordEventIfChangedStatement(work, { type: 'member.joined', orgId, payload }),
				entryWritten: auditIfChangedStatement(work, {
					action: 'community_member.unbanned',
					orgId,
					target: memberTarget(memberId),
					details: { communityId },
				}),
			})
			return memberUpdated.length === 1 ? [] : undefined
		}
		const { memberBanned, rsvpsPromoted } = await batch(db, {
			memberBanned: update,
			eventRecorded: recordEventIfChangedStatement(work, { type: 'member.left', orgId, payload }),
			banRecorded: recordEventIfChangedStatement(work, { type: 'member.banned', orgId, payload }),
			entryWritten: auditIfChangedStatement(work, {
				action: 'community_member.banned',
				orgId,
				target: memberTarget(memberId),
				details: { communityId },
			}),
			...releasePlacesStatements(db, selectPlacesLeftByMember(memberId, now), now),
			accessEnded: endAccessStatements(db, memberId),
		})
		return memberBanned.length === 1 ? rsvpsPromoted.map((rsvp) => rsvp.id) : undefined
	},

	async findMember({ communityId }: Viewer, memberId: number) {
		const [row] = await db
			.select({ role: memberships.role, status: memberships.status })
			.from(memberships)
			.where(and(eq(memberships.id, memberId), eq(memberships.communityId, communityId)))
		return row
	},
})
