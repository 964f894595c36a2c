import * as contract from '#schema/contract/community/member/post-comments.ts'
import { setEntityTag, updateMatching } from '../../http/entity-tag.ts'
import { type Route, serve, serveWithAliases } from '../../http/route.ts'
import { toViewer } from '../access/viewer.ts'
import { wrapOpenList } from '../lists.ts'
import { requirePlaceOfComment } from '../nesting/nesting.ts'
import { nameNextPage } from '../page-start.ts'
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
import { readCommentState, viewComment, viewComments } from './view.ts'

export const commentRoutes: Route[] = [
	serve(contract.listPostComments, async ({ deps, caller, params, query, request, headers }) => {
		const viewer = toViewer(caller, deps)
		const rows = await listComments(deps, viewer, params.postId, query)
		nameNextPage(rows, query, request, headers)
		return wrapOpenList(viewComments(viewer, rows), query)
	}),

	serve(contract.listMemberComments, async ({ deps, caller, params, query }) => {
		const viewer = toViewer(caller, deps)
		const rows = await listMemberComments(deps, viewer, params.memberId, query)
		return wrapOpenList(viewComments(viewer, rows), query)
	}),

	serve(contract.createPostComment, async ({ deps, caller, params, body }) => {
		const viewer = toViewer(caller, deps)
		return viewComment(viewer, await createComment(deps, viewer, params.postId, body.body))
	}),

	serve(contract.listReplies, async ({ deps, caller, params, query, request, headers }) => {
		const viewer = toViewer(caller, deps)
		const rows = await listReplies(deps, viewer, params.commentId, query)
		nameNextPage(rows, query, request, headers)
		return wrapOpenList(viewComments(viewer, rows), query)
	}),

	serve(contract.createReply, async ({ deps, caller, params, body }) => {
		const viewer = toViewer(caller, deps)
		return viewComment(viewer, await createReply(deps, viewer, params.commentId, body.body))
	}),

	...serveWithAliases(
		contract.getPostComment,
		[contract.getCommentOfPost, contract.getReply],
		async ({ deps, caller, params, headers }) => {
			await requirePlaceOfComment(deps, params)
			const viewer = toViewer(caller, deps)
			const comment = await findComment(deps, viewer, params.commentId)
			await setEntityTag(headers, readCommentState(comment))
			return viewComment(viewer, comment)
		},
	),

	...serveWithAliases(
		contract.updatePostComment,
		[contract.updateCommentOfPost, contract.updateReply],
		async ({ deps, caller, params, body, request, headers }) => {
			await requirePlaceOfComment(deps, params)
			const viewer = toViewer(caller, deps)
			const comment = await updateMatching(
				contract.updatePostComment,
				{ request, headers },
				{
					read: () => findComment(deps, viewer, params.commentId),
					toState: readCommentState,
					update: (before) => updateComment(deps, viewer, params.commentId, body.body, before),
				},
			)
			return viewComment(viewer, comment)
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
