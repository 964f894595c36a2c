import type { SpacePolicy } from '#schema/contract/community/fields.ts'
import type { PostComment, PostReply } from '#schema/contract/community/member/post-comments.ts'
import type { State } from '../../http/entity-tag.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { viewPerson } from '../people.ts'
import { viewReactionFields } from '../reactions/view.ts'
import type { CommentRow, ReplyRow } from './columns.ts'
import { decideCommentPolicies } from './policies.ts'

/** Returns the field that an update may change. */
export const readCommentState = ({ body }: CommentRow): State => ({ body })

const viewReply = (
	viewer: Viewer,
	row: ReplyRow,
	repliesCount: number,
	commentPolicy: SpacePolicy,
): PostReply => ({
	id: row.id,
	post_id: row.postId,
	parent_comment_id: row.parentId,
	body: row.body,
	created_at: toIso(row.createdAt),
	updated_at: toIso(row.updatedAt),
	author: viewPerson(row.author),
	removed_at: toIsoOrNull(row.removedAt),
	replies_count: repliesCount,
	...viewReactionFields(row.removedAt === null ? row.reactions : '{}', row.myReaction),
	policies: decideCommentPolicies(viewer, {
		authorId: row.authorId,
		parentId: row.parentId,
		isVisible: row.isOpen === 1 && row.removedAt === null && row.hiddenAt === null,
		isOpen: row.isOpen === 1,
		commentPolicy,
	}),
	hidden_at: toIsoOrNull(row.hiddenAt),
	hidden_reason: row.hiddenReason,
})

export const viewComment = (viewer: Viewer, row: CommentRow): PostComment => ({
	...viewReply(viewer, row, row.repliesCount, row.commentPolicy),
	replies: repliesIn(row.replies).map((reply) => viewReply(viewer, reply, 0, row.commentPolicy)),
})

export const viewComments = (viewer: Viewer, rows: readonly CommentRow[]): PostComment[] =>
	rows.map((row) => viewComment(viewer, row))

/** Sorts replies as their list does: SQLite aggregates them in no defined order. */
const repliesIn = (json: string): ReplyRow[] =>
	(JSON.parse(json) as ReplyRow[]).sort((a, b) => a.createdAt - b.createdAt || a.id - b.id)
