import * as comments from '#schema/contract/watch/comments.ts'
import * as reactions from '#schema/contract/watch/reactions.ts'
import { buildPage, decodeCursor } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import {
	createComment,
	deleteComment,
	listAllComments,
	listPublicComments,
	setCommentHidden,
} from './comments.ts'
import { readReactions, toggleReaction } from './reactions.ts'
import { viewComment, viewModeratedComment, viewReactions } from './view.ts'

const viewerOf = (params: { playbackId: string }, { token }: { token?: string | undefined }) => ({
	playbackId: params.playbackId,
	token,
})

export const viewerRoutes: Route[] = [
	serve(comments.listComments, async ({ deps, params, query, request, headers }) => {
		const page = { limit: query.limit, position: decodeCursor(query) }
		const rows = await listPublicComments(deps, viewerOf(params, query), page)
		const shown = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: shown.map(viewComment) }
	}),

	serve(comments.createComment, async ({ deps, params, query, body }) => ({
		data: viewComment(await createComment(deps, viewerOf(params, query), body)),
	})),

	serve(comments.listAssetComments, async ({ deps, caller, params, query, request, headers }) => {
		const page = { limit: query.limit, position: decodeCursor(query) }
		const rows = await listAllComments(deps, caller.org.id, params.assetId, page)
		const shown = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: shown.map(viewModeratedComment) }
	}),

	serve(comments.updateComment, async ({ deps, caller, params, body }) => ({
		data: viewModeratedComment(await setCommentHidden(deps, caller.org.id, params, body.hidden)),
	})),

	serve(comments.deleteComment, async ({ deps, caller, params }) => {
		await deleteComment(deps, caller.org.id, params)
		return { data: { id: params.commentId, deleted: true as const } }
	}),

	serve(reactions.getReactions, async ({ deps, params, query }) => ({
		data: viewReactions(await readReactions(deps, viewerOf(params, query), query.sessionId)),
	})),

	serve(reactions.toggleReaction, async ({ deps, params, query, body }) => ({
		data: viewReactions(await toggleReaction(deps, viewerOf(params, query), body)),
	})),
]
