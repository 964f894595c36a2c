import * as contract from '#schema/contract/community/member/post-comments.ts'
import { toShownReaction } from '#schema/contract/community/reaction.ts'
import { type Route, serve, serveWithAliases } from '../../http/route.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import { toViewer } from '../access/viewer.ts'
import { wrapOpenList } from '../lists.ts'
import { requirePlaceOfComment } from '../nesting/nesting.ts'
import { viewPerson } from '../people.ts'
import type { CommentRow } from './columns.ts'
import {
	createComment,
	createReply,
	deleteComment,
	findComment,
	listComments,
	listMemberComments,
	listReplies,
	updateComment,
} from './comments.ts'

const viewComment = (row: CommentRow): contract.PostComment => ({
	id: row.id,
	post_id: row.postId,
	parent_comment_id: row.parentId,
	body: row.body,
	created_at: toIso(row.createdAt),
	updated_at: toIso(row.updatedAt),
	author: viewPerson(row.author),
	removed_at: toIsoOrNull(row.removedAt),
	replies_count: row.repliesCount,
	my_reaction: row.myReaction === null ? null : toShownReaction(row.myReaction),
	hidden_at: toIsoOrNull(row.hiddenAt),
	hidden_reason: row.hiddenReason,
})

export const commentRoutes: Route[] = [
	serve(contract.listPostComments, async ({ deps, caller, params, query }) => {
		const rows = await listComments(deps, toViewer(caller, deps), params.postId, query)
		return wrapOpenList(rows.map(viewComment), query)
	}),

	serve(contract.listMemberComments, async ({ deps, caller, params, query }) => {
		const rows = await listMemberComments(deps, toViewer(caller, deps), params.memberId, query)
		return wrapOpenList(rows.map(viewComment), query)
	}),

	serve(contract.createPostComment, async ({ deps, caller, params, body }) =>
		viewComment(await createComment(deps, toViewer(caller, deps), params.postId, body.body)),
	),

	serve(contract.listReplies, async ({ deps, caller, params, query }) => {
		const rows = await listReplies(deps, toViewer(caller, deps), params.commentId, query)
		return wrapOpenList(rows.map(viewComment), query)
	}),

	serve(contract.createReply, async ({ deps, caller, params, body }) =>
		viewComment(await createReply(deps, toViewer(caller, deps), params.commentId, body.body)),
	),

	...serveWithAliases(
		contract.getPostComment,
		[contract.getCommentOfPost, contract.getReply],
		async ({ deps, caller, params }) => {
			await requirePlaceOfComment(deps, params)
			return viewComment(await findComment(deps, toViewer(caller, deps), params.commentId))
		},
	),

	...serveWithAliases(
		contract.updatePostComment,
		[contract.updateCommentOfPost, contract.updateReply],
		async ({ deps, caller, params, body }) => {
			await requirePlaceOfComment(deps, params)
			return viewComment(await updateComment(deps, toViewer(caller, deps), params.commentId, body.body))
		},
	),

	...serveWithAliases(
		contract.deletePostComment,
		[contract.deleteCommentOfPost, contract.deleteReply],
		async ({ deps, caller, params }) => {
			await requirePlaceOfComment(deps, params)
			await deleteComment(deps, toViewer(caller, deps), params.commentId)
			return { success: true as const }
		},
	),
]
