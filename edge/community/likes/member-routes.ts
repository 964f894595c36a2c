import type { ListQuery } from '#schema/contract/community/fields.ts'
import * as contract from '#schema/contract/community/member/likes.ts'
import { LIKE } from '#schema/contract/community/reaction.ts'
import { type Route, serve } from '../../http/route.ts'
import type { Deps } from '../../platform/deps.ts'
import { toViewer } from '../access/viewer.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { computePageOffset, wrapOpenList } from '../lists.ts'
import { addReaction, listLikes, removeLike } from '../reactions/reactions.ts'
import { viewReaction } from '../reactions/view.ts'

const success = { success: true as const }
const post = (id: number) => ({ type: 'Post' as const, id })
const comment = (id: number) => ({ type: 'Comment' as const, id })

async function listLikers(
	deps: Deps,
	viewer: Viewer,
	target: ReturnType<typeof post> | ReturnType<typeof comment>,
	query: ListQuery,
) {
	const rows = await listLikes(deps, viewer, target, query.per_page + 1, computePageOffset(query))
	return wrapOpenList(rows.map(viewReaction), query)
}

export const likeRoutes: Route[] = [
	serve(contract.likePost, async ({ deps, caller, params }) => {
		await addReaction(deps, toViewer(caller, deps), post(params.postId), LIKE)
		return success
	}),

	serve(contract.unlikePost, async ({ deps, caller, params }) => {
		await removeLike(deps, toViewer(caller, deps), post(params.postId))
		return success
	}),

	serve(contract.listPostLikes, async ({ deps, caller, params, query }) =>
		listLikers(deps, toViewer(caller, deps), post(params.postId), query),
	),

	serve(contract.likeComment, async ({ deps, caller, params }) => {
		await addReaction(deps, toViewer(caller, deps), comment(params.commentId), LIKE)
		return success
	}),

	serve(contract.unlikeComment, async ({ deps, caller, params }) => {
		await removeLike(deps, toViewer(caller, deps), comment(params.commentId))
		return success
	}),

	serve(contract.listCommentLikes, async ({ deps, caller, params, query }) =>
		listLikers(deps, toViewer(caller, deps), comment(params.commentId), query),
	),
]
