import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import {
	type NotificationKind,
	NotificationPreference,
} from '#schema/contract/community/member/notifications.ts'
import { notificationMutes, notifications } from '#schema/tables/community/notifications.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { Position } from '../../platform/database/keyset.ts'
import { isStillMember, mayReadHidden, type Viewer, visibleSpaces } from '../access/visible-spaces.ts'
import { selectPerson } from '../people.ts'
import type { Push } from './push.ts'

export type NotificationRow = {
	id: number
	kind: NotificationKind
	createdAt: number
	readAt: number | null
	/** JSON. */
	actor: string | null
	spaceId: number | null
	spaceName: string | null
	spaceSlug: string | null
	postId: number | null
	commentId: number | null
	eventId: number | null
	/** Of the post or event. */
	title: string | null
	text: string
	reason: string | null
}

/** True turns a preference on, false off; others stay unchanged. */
export type PreferenceChange = { [K in NotificationPreference]?: boolean | undefined }

const ofComments = sql`(
	'post_comment', 'comment_reply', 'followed_post_comment', 'comment_reaction', 'comment_hidden', 'comment_restored'
)`
const ofPosts = sql`('post_reaction', 'post_hidden', 'post_restored')`
const ofEvents = sql`('event_changed', 'event_place')`

/** Joins the notifications of a member along their index. Skips those whose subject is deleted or no longer visible. */
export const visibleNotifications = (viewer: Viewer, rows: SQL = sql`notifications`) => sql`
	from ${rows} n
	left join post_comments x on n.kind in ${ofComments}
		and x.id = n.subject_id
		and (x.deleted_at is null or (n.kind = 'comment_hidden' and ${mayReadHidden(viewer, sql`x`)}))
	left join posts p on p.id = case when n.kind in ${ofPosts} then n.subject_id else x.post_id end
		and (p.deleted_at is null or (n.kind = 'post_hidden' and ${mayReadHidden(viewer, sql`p`)}))
	left join events e on n.kind in ${ofEvents}
		and e.id = n.subject_id
		and e.community_id = ${viewer.communityId}
	left join cancelled_events d on n.kind = 'event_cancelled'
		and d.id = n.subject_id
		and d.community_id = ${viewer.communityId}
	left join spaces s on s.id = coalesce(p.space_id, e.space_id, d.space_id)
	where n.membership_id = ${viewer.membershipId}
		and ((${visibleSpaces(viewer)}) or (e.id is not null and e.space_id is null))
`

export const notificationColumns = (viewer: Viewer) => sql`
	n.id, n.kind, n.created_at as createdAt, n.read_at as readAt,
	${selectPerson(sql`n.actor_id`, viewer.communityId)} as actor,
	s.id as spaceId, s.name as spaceName, s.slug as spaceSlug, p.id as postId, x.id as commentId,
	coalesce(e.id, d.id) as eventId,
	coalesce(p.title, e.title, d.title) as title, coalesce(x.body, p.body, e.title, d.title) as text,
	case n.kind when 'post_hidden' then p.hidden_reason when 'comment_hidden' then x.hidden_reason end as reason`

const withStatus = {
	all: sql`n.archived_at is null`,
	read: sql`n.read_at is not null and n.archived_at is null`,
	unread: sql`n.read_at is null`,
	archived: sql`n.archived_at is not null`,
}

export const notificationStore = (db: Db) => ({
	async list(
		viewer: Viewer,
		status: keyof typeof withStatus,
		limit: number,
		position: Position | null,
	): Promise<NotificationRow[]> {
		const from = position
			? sql`(n.created_at, n.id) < (${position[0]}, ${position[1]})`
			: (sql`true` satisfies SQL)
		return db.all(
			sql`
				select ${notificationColumns(viewer)} ${visibleNotifications(viewer)} and ${withStatus[status]} and ${from}
				order by n.created_at desc, n.id desc limit ${limit + 1}
			`,
		)
	},

	/** Lists the notifications after an id, oldest first. */
	async listAfter(viewer: Viewer, id: number, limit: number): Promise<Push[]> {
		return db.all(
			sql`select n.id, n.kind ${visibleNotifications(viewer)} and n.id > ${id} order by n.id limit ${limit}`,
		)
	},

	/** Counts the visible ones among the newest `max` unread notifications. `more` is 1 if there are further ones. */
	async countUnread(viewer: Viewer, max: number): Promise<{ unread: number; more: number }> {
		const newest = (limit: number) =>
			sql`(
				select u.* from notifications u
				where u.membership_id = ${viewer.membershipId} and u.read_at is null
				order by u.created_at desc, u.id desc limit ${limit}
			)`
		const [row] = await db.all<{ unread: number; more: number }>(
			sql`
				select (select count(*) ${visibleNotifications(viewer, newest(max))}) as unread,
					(select count(*) > ${max} from ${newest(max + 1)}) as more
			`,
		)
		return row ?? { unread: 0, more: 0 }
	},

	/** Marks a notification read and keeps the first time. Returns false if the member can't see it. */
	async markRead(viewer: Viewer, id: number): Promise<boolean> {
		const rows = await db
			.update(notifications)
			.set({ readAt: sql`coalesce(read_at, ${viewer.now})` })
			.where(
				and(
					eq(notifications.id, id),
					sql`exists (select 1 ${visibleNotifications(viewer)} and n.id = ${id})`,
				),
			)
			.returning({ id: notifications.id })
		return rows.length === 1
	},

	async markAllRead({ membershipId, now }: Viewer): Promise<void> {
		await db
			.update(notifications)
			.set({ readAt: now })
			.where(and(eq(notifications.membershipId, membershipId), isNull(notifications.readAt)))
	},

	async listMutes({ membershipId }: Viewer): Promise<NotificationPreference[]> {
		const rows = await this.listMutesStatement(membershipId)
		return rows.map(({ kind }) => kind)
	},

	listMutesStatement(membershipId: number) {
		return db
			.select({ kind: notificationMutes.kind })
			.from(notificationMutes)
			.where(eq(notificationMutes.membershipId, membershipId))
	},

	/** Changes preferences, and returns all that are off. */
	async mute(viewer: Viewer, preferences: PreferenceChange): Promise<NotificationPreference[]> {
		const { membershipId } = viewer
		const kinds = (value: boolean) =>
			NotificationPreference.options.filter((kind) => preferences[kind] === value)
		const { allMutes } = await batch(db, {
			mutesDeleted: db
				.delete(notificationMutes)
				.where(
					and(eq(notificationMutes.membershipId, membershipId), inArray(notificationMutes.kind, kinds(true))),
				),
			mutesInserted: insertSelect(
				db,
				notificationMutes,
				{ membershipId, kind: sql`value` },
				sql`from json_each(${JSON.stringify(kinds(false))}) where ${isStillMember(viewer)}`,
			).onConflictDoNothing(),
			allMutes: this.listMutesStatement(membershipId),
		})
		return allMutes.map(({ kind }) => kind)
	},
})
