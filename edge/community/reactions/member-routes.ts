import * as contract from '#schema/contract/community/member/post-reactions.ts'
import { AppError } from '../../http/errors.ts'
import { type Route, serve } from '../../http/route.ts'
import { toViewer } from '../access/viewer.ts'
import { computePageOffset, wrapOpenList } from '../lists.ts'
import type { TargetType } from './counts.ts'
import { addReaction, listReactions, removeReaction, type Target } from './reactions.ts'
import { viewReaction } from './view.ts'

type TargetInput = { reactable_type?: TargetType | undefined; reactable_id?: number | undefined }

/** Reads the target from the query or the body; both together must name the same one. */
function targetOf(query: TargetInput, body: TargetInput | undefined): Target {
	const type = query.reactable_type ?? body?.reactable_type
	const id = query.reactable_id ?? body?.reactable_id
	if (type === undefined || id === undefined)
		throw new AppError('validation', 'reactable_type, reactable_id: send both, in the query or in the body')
	if (body && (body.reactable_type !== type || body.reactable_id !== id))
		throw new AppError('validation', 'the query and the body name different targets; send only one')
	return { type, id }
}

export const reactionRoutes: Route[] = [
	serve(contract.react, async ({ deps, caller, body }) => {
		const { reactable_type: type, reactable_id: id, reaction } = body
		return addReaction(deps, toViewer(caller, deps), { type, id }, reaction)
	}),

	serve(contract.listPostReactions, async ({ deps, caller, params, query }) => {
		const post = { type: 'Post' as const, id: params.postId }
		const rows = await listReactions(
			deps,
			toViewer(caller, deps),
			post,
			query.per_page + 1,
			computePageOffset(query),
		)
		return wrapOpenList(rows.map(viewReaction), query)
	}),

	serve(contract.listCommentReactions, async ({ deps, caller, params, query }) => {
		const comment = { type: 'Comment' as const, id: params.commentId }
		const rows = await listReactions(
			deps,
			toViewer(caller, deps),
			comment,
			query.per_page + 1,
			computePageOffset(query),
		)
		return wrapOpenList(rows.map(viewReaction), query)
	}),

	serve(contract.unreact, async ({ deps, caller, query, body }) => {
		await removeReaction(deps, toViewer(caller, deps), targetOf(query, body))
		return { success: true as const }
	}),
]
