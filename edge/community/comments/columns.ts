import { type SQL, sql } from 'drizzle-orm'
import { buildReturningList, buildSelectList, type RowColumns } from '../../platform/database/columns.ts'
import { mayReadHidden, type Viewer } from '../access/visible-spaces.ts'
import { selectPerson } from '../people.ts'
import { selectShownEmoji } from '../reactions/shown-emoji.ts'

export type CommentRow = {
	id: number
	postId: number
	parentId: number | null
	body: string
	createdAt: number
	updatedAt: number
	repliesCount: number
	/** JSON. */
	author: string | null
	myReaction: string | null
	/** Set for the placeholder of a removed comment. */
	removedAt: number | null
	hiddenAt: number | null
	hiddenReason: string | null
}

/** SQL condition: the comment is shown. One that was removed leaves a placeholder while it has replies. */
export const isShown = (comment: SQL): SQL =>
	sql`(
		${comment}.deleted_at is null
		or exists (select 1 from post_comments z where z.parent_id = ${comment}.id and z.deleted_at is null)
	)`

/** Returns the columns of the comment with the alias `comment`, as `viewer` sees it. */
const commentColumns = (viewer: Viewer, comment: SQL): RowColumns<CommentRow> => {
	const mayRead = sql`(${comment}.deleted_at is null or ${mayReadHidden(viewer, comment)})`
	return {
		id: sql`${comment}.id`,
		postId: sql`${comment}.post_id`,
		parentId: sql`${comment}.parent_id`,
		body: sql`case when ${mayRead} then ${comment}.body else '' end`,
		createdAt: sql`${comment}.created_at`,
		updatedAt: sql`${comment}.updated_at`,
		repliesCount: sql`${comment}.replies_count`,
		author: sql`case when ${mayRead} then ${selectPerson(sql`${comment}.author_id`, viewer.communityId)} end`,
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
	}
}

/** Returns the select list for comments with the alias `x`. */
export const selectedCommentColumns = (viewer: Viewer): SQL => buildSelectList(commentColumns(viewer, sql`x`))

/** Returns the columns for `returning`. */
export const returnedCommentColumns = (viewer: Viewer) =>
	buildReturningList<CommentRow>(commentColumns(viewer, sql`post_comments`))
