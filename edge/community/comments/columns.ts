import { type SQL, sql } from 'drizzle-orm'
import type { SpacePolicy } from '#schema/contract/community/fields.ts'
import {
	buildJsonObject,
	buildReturningList,
	buildSelectList,
	type RowColumns,
} from '../../platform/database/columns.ts'
import { mayReadHidden, type Viewer } from '../access/visible-spaces.ts'
import { selectPerson } from '../people.ts'
import { selectShownCounts } from '../reactions/counts.ts'
import { selectShownEmoji } from '../reactions/shown-emoji.ts'

export type ReplyRow = {
	id: number
	postId: number
	parentId: number | null
	body: string
	createdAt: number
	updatedAt: number
	/** Null in a placeholder. */
	authorId: number | null
	/** JSON, as are reactions. */
	author: string | null
	reactions: string
	myReaction: string | null
	/** Set for the placeholder of a removed comment. */
	removedAt: number | null
	hiddenAt: number | null
	hiddenReason: string | null
	/** 1 if the comment or its placeholder is shown below a visible post. */
	isOpen: number
}
export type CommentRow = ReplyRow & {
	repliesCount: number
	/** Who may comment in the space of the post. */
	commentPolicy: SpacePolicy
	/** JSON: the first replies. */
	replies: string
}

const PREVIEWED_REPLIES = 3

/** SQL condition: the comment is shown. One that was removed leaves a placeholder while it has replies. */
export const isShown = (comment: SQL): SQL =>
	sql`(
		${comment}.deleted_at is null
		or exists (select 1 from post_comments z where z.parent_id = ${comment}.id and z.deleted_at is null)
	)`

/** Returns the columns of the comment or reply with the alias `comment`, as `viewer` sees it. */
const replyColumns = (viewer: Viewer, comment: SQL): RowColumns<ReplyRow> => {
	const mayRead = sql`(${comment}.deleted_at is null or ${mayReadHidden(viewer, comment)})`
	return {
		id: sql`${comment}.id`,
		postId: sql`${comment}.post_id`,
		parentId: sql`${comment}.parent_id`,
		body: sql`case when ${mayRead} then ${comment}.body else '' end`,
		createdAt: sql`${comment}.created_at`,
		updatedAt: sql`${comment}.updated_at`,
		authorId: sql`case when ${mayRead} then ${comment}.author_id end`,
		author: sql`case when ${mayRead} then ${selectPerson(sql`${comment}.author_id`, viewer.communityId)} end`,
		reactions: selectShownCounts(viewer.communityId, comment),
		myReaction: sql`
			case
				when ${mayRead} then (
					select ${selectShownEmoji(viewer.communityId, sql`r.emoji`)} from post_reactions r
					where r.membership_id = ${viewer.membershipId} and r.comment_id = ${comment}.id
				)
			end
		`,
		removedAt: sql`case when ${mayRead} then null else ${comment}.deleted_at end`,
		hiddenAt: sql`case when ${mayRead} then ${comment}.hidden_at end`,
		hiddenReason: sql`case when ${mayRead} then ${comment}.hidden_reason end`,
		isOpen: sql`(
			${isShown(comment)}
			and exists (select 1 from posts o where o.id = ${comment}.post_id and o.deleted_at is null)
		)`,
	}
}

/** SQL for the first replies that `viewer` would get in the list of replies. */
function selectFirstReplies(viewer: Viewer, comment: SQL): SQL<string> {
	const reply = buildJsonObject(replyColumns(viewer, sql`y`), ['author', 'reactions'])
	return sql`(
		select json_group_array(json(found.reply))
		from (
			select ${reply} as reply from post_comments y
			where y.post_id = ${comment}.post_id and y.parent_id = ${comment}.id and (
				y.deleted_at is null
				or (
					y.hidden_at = ${comment}.hidden_at
					and ${mayReadHidden(viewer, comment)}
					and ${mayReadHidden(viewer, sql`y`)}
				)
			)
			order by y.created_at, y.id limit ${PREVIEWED_REPLIES}
		) found
	)`
}

const commentColumns = (
	viewer: Viewer,
	comment: SQL,
	commentPolicy: SQL<SpacePolicy>,
): RowColumns<CommentRow> => ({
	...replyColumns(viewer, comment),
	repliesCount: sql`${comment}.replies_count`,
	commentPolicy,
	replies: selectFirstReplies(viewer, comment),
})

/** Returns the select list for comments with the alias `x`. Without a policy, the space must be joined as `s`. */
export const selectedCommentColumns = (viewer: Viewer, policy?: SpacePolicy): SQL =>
	buildSelectList(
		commentColumns(viewer, sql`x`, policy ? sql<SpacePolicy>`${policy}` : sql<SpacePolicy>`s.comment_policy`),
	)

/** Returns the columns for `returning`. */
export const returnedCommentColumns = (viewer: Viewer) =>
	buildReturningList<CommentRow>(
		commentColumns(
			viewer,
			sql`post_comments`,
			sql<SpacePolicy>`(
				select s.comment_policy from posts p
				join spaces s on s.id = p.space_id
				where p.id = post_comments.post_id
			)`,
		),
	)
