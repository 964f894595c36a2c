import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import { isOwnReaction } from '#schema/contract/community/reaction.ts'
import { postReactions } from '#schema/tables/community/content.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { isStillMember, type Viewer, visibleSpaces } from '../access/visible-spaces.ts'
import { computeFirstNotifyAt } from '../notifications/pending-notification.ts'
import { memberName } from '../people.ts'
import {
	countedColumns,
	countReactionStatement,
	type TargetType,
	targetKinds,
	uncountStatement,
} from './counts.ts'
import { selectShownEmoji } from './shown-emoji.ts'

const targetColumns = {
	Post: { postId: sql`p.id` },
	Comment: { commentId: sql`x.id` },
	Image: { imageId: sql`x.id` },
} as const

const target = (type: TargetType, id: number) =>
	type === 'Post'
		? sql`posts p join spaces s on s.id = p.space_id where p.id = ${id}`
		: type === 'Comment'
			? sql`
				post_comments x
				join posts p on p.id = x.post_id
				join spaces s on s.id = p.space_id
				where x.id = ${id} and x.deleted_at is null
			`
			: sql`images x join posts p on p.id = x.post_id join spaces s on s.id = p.space_id where x.id = ${id}`

/** SQL condition: the column is one of these reactions. There are never more of them than reactions to the target. */
const isOneOf = (column: SQL, reactions: readonly string[]) =>
	sql`${column} in (select value from json_each(${JSON.stringify(reactions)}))`

const isInSet = ({ communityId }: Viewer, reaction: string) =>
	isOwnReaction(reaction)
		? sql`exists (
			select 1 from communities c, json_each(c.reactions) o
			where c.id = ${communityId} and o.value = ${reaction}
		)`
		: sql`true`

export type ReactionRow = {
	id: number
	emoji: string
	createdAt: number
	membershipId: number
	name: string
	avatarUrl: string | null
}

export const reactionStore = (db: Db) => ({
	/**
	 * Sets the only reaction of a membership to a target, and counts it. Returns undefined if the viewer can't see the target,
	 * or the community's set lacks the name.
	 */
	async put(viewer: Viewer, type: TargetType, id: number, emoji: string) {
		const { column } = targetKinds[type]
		const { membershipId } = viewer
		const allowed = sql`
			from ${target(type, id)}
				and p.deleted_at is null
				and ${visibleSpaces(viewer)}
				and ${isStillMember(viewer)}
				and ${isInSet(viewer, emoji)}
		`
		const { reactionCounted, reactionStored } = await batch(db, {
			reactionCounted: countReactionStatement(
				db,
				{ type, id, membershipId, emoji },
				sql`exists (select 1 ${allowed})`,
			).returning(countedColumns(viewer.communityId, type)),
			reactionStored: insertSelect(
				db,
				postReactions,
				{
					membershipId,
					...targetColumns[type],
					emoji,
					createdAt: viewer.now,
					notifyAt: computeFirstNotifyAt(viewer.now),
				},
				allowed,
			)
				.onConflictDoUpdate({
					target: [postReactions.membershipId, column],
					targetWhere: isNotNull(column),
					set: { emoji },
				})
				.returning({ id: postReactions.id, reaction: postReactions.emoji, notifyAt: postReactions.notifyAt }),
		})
		const [row] = reactionStored
		return row && { ...row, counted: reactionCounted[0] }
	},

	async isVisible(viewer: Viewer, type: TargetType, id: number): Promise<boolean> {
		const rows = await db.all(
			sql`select 1 from ${target(type, id)} and p.deleted_at is null and ${visibleSpaces(viewer)}`,
		)
		return rows.length === 1
	},

	/** Returns the stored reactions to a target, each with its shown form; undefined if the viewer can't see the target. */
	async listCounted(viewer: Viewer, type: TargetType, id: number) {
		const counts = type === 'Post' ? sql`p.reactions` : sql`x.reactions`
		const shown = selectShownEmoji(viewer.communityId, sql`j.key`)
		const [row] = await db.all<{ pairs: string }>(sql`
			select (select json_group_array(json_array(j.key, ${shown})) from json_each(${counts}) j) as pairs
			from ${target(type, id)} and p.deleted_at is null and ${visibleSpaces(viewer)}
		`)
		return row && (JSON.parse(row.pairs) as [stored: string, shown: string][])
	},

	/** Lists reactions in the order of the index that counts them. `only` restricts the list to these stored texts. */
	async list(
		{ communityId }: Viewer,
		{ type, id, only }: { type: 'Post' | 'Comment'; id: number; only?: readonly string[] },
		limit: number,
		offset: number,
	): Promise<ReactionRow[]> {
		const column = type === 'Post' ? sql`r.post_id` : sql`r.comment_id`
		return db.all(sql`
			select r.id, ${selectShownEmoji(communityId, sql`r.emoji`)} as emoji, r.created_at as createdAt,
				m.id as membershipId, ${memberName} as name, m.avatar_url as avatarUrl
			from post_reactions r
			cross join memberships m on m.id = r.membership_id
			cross join users u on u.id = m.user_id
			where ${column} = ${id} and ${only ? isOneOf(sql`r.emoji`, only) : sql`true`}
			order by r.emoji, r.id limit ${limit} offset ${offset}
		`)
	},

	/**
	 * Removes the reaction of a member to a target. `only` restricts this to the given stored texts. Returns the new counts of
	 * the target, or undefined without a removed reaction.
	 */
	async remove(
		{ communityId, membershipId }: Viewer,
		type: TargetType,
		id: number,
		only?: readonly string[],
	) {
		const { column } = targetKinds[type]
		const isOwn = and(
			eq(postReactions.membershipId, membershipId),
			eq(column, id),
			only && isOneOf(sql`${postReactions.emoji}`, only),
		)
		const rows = sql`(select rowid from post_reactions where ${isOwn})`
		const { reactionUncounted } = await batch(db, {
			reactionUncounted: uncountStatement(db, rows, type).returning(countedColumns(communityId, type)),
			reactionDeleted: db.delete(postReactions).where(isOwn),
		})
		return reactionUncounted[0]
	},
})
