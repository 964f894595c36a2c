import { and, eq, lt, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { NotificationKind } from '#schema/contract/community/member/notifications.ts'
import { eventRsvps, events, postComments, postReactions } from '#schema/tables/community/content.ts'
import { cancelledEvents, notifications } from '#schema/tables/community/notifications.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { sweepRows } from '../../platform/work/sweep.ts'
import { selectOrgId, selectSpacesVisibleToMember } from '../access/visible-spaces.ts'
import { followByDefaultStatement } from '../participation/default-follow-store.ts'
import type { PendingNotification } from './pending-notification.ts'

const sources: Record<
	PendingNotification['of'],
	SQLiteTable & { id: AnySQLiteColumn; notifyAt: AnySQLiteColumn }
> = {
	comment: postComments,
	reaction: postReactions,
	event: events,
	place: eventRsvps,
}

/** Finds pending notifications whose message was lost. */
export const notificationSweeps = (['comment', 'reaction', 'event', 'place'] as const).map((of) => {
	const { id, notifyAt } = sources[of]
	return sweepRows({ at: notifyAt }, { id }, (row) => ({
		type: 'community.notify',
		of,
		id: row.id as number,
	}))
})

/** Selects the recipients for each kind of source: `m` is the recipient, `s` the space. Excludes whoever caused it. */
const recipientsOf: Record<PendingNotification['of'], (id: number, now: number) => SQL> = {
	comment: (id, now) => sql`
		with x as materialized (
			select c.id, c.community_id, c.author_id, p.id as post_id, p.space_id, p.author_id as post_author,
				(
					select y.author_id from post_comments y where y.id = c.parent_id and y.deleted_at is null
				) as parent_author
			from post_comments c
			join posts p on p.id = c.post_id and p.deleted_at is null
			where c.id = ${id} and c.notify_at is not null and c.deleted_at is null and c.author_id is not null
		),
			r(user_id) as (
				select x.post_author from x
				where not exists (
					select 1 from post_followers u
					where u.user_id = x.post_author and u.post_id = x.post_id and u.unfollowed_at is not null
				)
				union
				select x.parent_author from x
				union
				select f.user_id from x
				cross join post_followers f on f.post_id = x.post_id and f.unfollowed_at is null
			)
		select m.id as membership_id, x.id as subject_id, x.author_id as actor_id,
			case m.user_id
				when x.parent_author then 'comment_reply'
				when x.post_author then 'post_comment'
				else 'followed_post_comment'
			end as kind
		from x
		cross join r
		cross join memberships m on m.community_id = x.community_id and m.user_id = r.user_id
		cross join spaces s on s.id = x.space_id
		where m.user_id <> x.author_id and ${selectSpacesVisibleToMember(now)}
	`,
	reaction: (id, now) => sql`
		select m.id as membership_id, coalesce(x.id, p.id) as subject_id, a.user_id as actor_id,
			case when x.id is null then 'post_reaction' else 'comment_reaction' end as kind
		from post_reactions r
		left join post_comments x on x.id = r.comment_id
		cross join posts p on p.id = coalesce(
			r.post_id, x.post_id, (select i.post_id from images i where i.id = r.image_id)
		)
		cross join spaces s on s.id = p.space_id
		cross join memberships a on a.id = r.membership_id
		cross join memberships m on m.community_id = p.community_id
			and m.user_id = case when x.id is null then p.author_id else x.author_id end
		where r.id = ${id}
			and r.notify_at is not null
			and p.deleted_at is null
			and x.deleted_at is null
			and m.id <> a.id
			and ${selectSpacesVisibleToMember(now)}
	`,
	event: (id, now) => sql`
		select m.id as membership_id, e.id as subject_id, null as actor_id, 'event_changed' as kind
		from events e left join spaces s on s.id = e.space_id
		cross join event_rsvps g on g.event_id = e.id
		cross join memberships m on m.id = g.membership_id and m.status = 'active'
		where e.id = ${id} and e.notify_at is not null and (e.space_id is null or ${selectSpacesVisibleToMember(now)})`,
	place: (id, now) => sql`
		select m.id as membership_id, e.id as subject_id, null as actor_id, 'event_place' as kind
		from event_rsvps g cross join events e on e.id = g.event_id left join spaces s on s.id = e.space_id
		cross join memberships m on m.id = g.membership_id and m.status = 'active'
		where g.id = ${id} and g.notify_at is not null and g.status = 'going'
			and (e.space_id is null or ${selectSpacesVisibleToMember(now)})`,
}

/** SQL condition: the member of row `t` has not muted its kind. */
export const isNotMuted = sql`
	not exists (select 1 from notification_mutes q where q.membership_id = t.membership_id and q.kind = t.kind)
`

export type StoredNotification = {
	id: number
	membershipId: number
	kind: NotificationKind
	communityId: number
}

type PlaceOfComment = { orgId: string | null; communityId: number; postId: number }

const commentCreatedStatement = (work: UnitOfWork, commentId: number, { orgId, ...ids }: PlaceOfComment) =>
	recordEventIfChangedStatement(work, {
		type: 'post_comment.created',
		orgId,
		payload: { ...ids, commentId },
	})

/** Returns the statement that records that a member got a place from the waitlist. */
function memberPromotedStatement(work: UnitOfWork, rsvpId: number) {
	const ofRsvp = (column: SQL) => sql<number>`(
		select ${column} from event_rsvps g
		join events e on e.id = g.event_id
		where g.id = ${rsvpId}
	)`
	return recordEventIfChangedStatement(work, {
		type: 'rsvp.changed',
		orgId: selectOrgId(ofRsvp(sql`e.community_id`)),
		payload: {
			communityId: ofRsvp(sql`e.community_id`),
			eventId: ofRsvp(sql`e.id`),
			memberId: ofRsvp(sql`g.membership_id`),
			status: 'going',
		},
	})
}

/** Selects the author of a pending comment as the member `m`, and its post as `p`. */
const commenter = (commentId: number) => sql`
	from post_comments c
	cross join posts p on p.id = c.post_id and p.deleted_at is null
	cross join memberships m on m.community_id = c.community_id and m.user_id = c.author_id
	where c.id = ${commentId} and c.notify_at is not null and c.deleted_at is null
`

export const notifyStore = (db: Db) => ({
	/** Stores the notifications of a source once: the same batch clears `notify_at`, so a repeated call finds nothing. */
	async notify(work: UnitOfWork, { of, id }: PendingNotification): Promise<StoredNotification[]> {
		const source = sources[of]
		const insert = insertSelect(
			db,
			notifications,
			{
				membershipId: sql`t.membership_id`,
				kind: sql`t.kind`,
				subjectId: sql`t.subject_id`,
				actorId: sql`t.actor_id`,
				createdAt: work.now,
			},
			sql`from (${recipientsOf[of](id, work.now)}) t where ${isNotMuted}`,
		)
			.onConflictDoUpdate({
				target: [notifications.membershipId, notifications.kind, notifications.subjectId],
				targetWhere: sql`read_at is null`,
				set: { actorId: sql`excluded.actor_id`, createdAt: sql`excluded.created_at` },
			})
			.returning({
				id: notifications.id,
				membershipId: notifications.membershipId,
				kind: notifications.kind,
				communityId:
					sql<number>`(select m.community_id from memberships m where m.id = notifications.membership_id)`.as(
						'community_id',
					),
			})
		const clearPending = db
			.update(source)
			.set({ notifyAt: null })
			.where(and(eq(source.id, id), sql`notify_at is not null`))
		const comment = of === 'comment' ? await this.findComment(id) : null
		if (comment === undefined) return []
		const { membersNotified } = await batch(db, {
			writerFollows: comment && followByDefaultStatement(db, work.now, commenter(id)),
			membersNotified: insert,
			pendingCleared: clearPending,
			eventRecorded: comment && commentCreatedStatement(work, id, comment),
			promotionRecorded: of === 'place' ? memberPromotedStatement(work, id) : null,
		})
		return membersNotified
	},

	async findComment(id: number) {
		const [row] = await db.all<PlaceOfComment>(
			sql`
				select c.org_id as orgId, c.id as communityId, x.post_id as postId from post_comments x
				join communities c on c.id = x.community_id
				where x.id = ${id} and x.notify_at is not null
			`,
		)
		return row
	},

	async deleteOlderThan(before: number): Promise<void> {
		await db.batch([
			db.delete(notifications).where(lt(notifications.createdAt, before)),
			db.delete(cancelledEvents).where(lt(cancelledEvents.createdAt, before)),
		])
	},
})
