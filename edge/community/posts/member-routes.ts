import * as contract from '#schema/contract/community/member/posts.ts'
import { AppError } from '../../http/errors.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { buildPage, decodeCursor } from '../../http/page.ts'
import { type Route, serve, serveWithAliases } from '../../http/route.ts'
import { toViewer } from '../access/viewer.ts'
import { computePageOffset, wrapOpenList } from '../lists.ts'
import { requirePlaceOfPost } from '../nesting/nesting.ts'
import { createPost, deletePost, listMemberPosts, listSpacePosts, readPost, updatePost } from './posts.ts'
import { postStore } from './store.ts'
import { viewPost } from './view.ts'

/** Removes `page`: the URL of the next page has a cursor instead. */
function withoutPage(request: Request): { url: string } {
	const url = new URL(request.url)
	url.searchParams.delete('page')
	return { url: url.href }
}

export const postRoutes: Route[] = [
	serve(contract.listSpacePosts, async ({ deps, caller, params, query }) => {
		const { per_page } = query
		const viewer = toViewer(caller, deps)
		const rows = await listSpacePosts(deps, viewer, params.spaceId, per_page + 1, computePageOffset(query))
		return wrapOpenList(rows.map(viewPost), query)
	}),

	serve(contract.createPost, async ({ deps, caller, params, body }) => {
		const { name: title, ...post } = body
		return viewPost(await createPost(deps, toViewer(caller, deps), params.spaceId, { ...post, title }))
	}),

	serve(contract.listHomePosts, async ({ deps, caller, query, request, headers }) => {
		const from = decodeCursor(query) ?? computePageOffset(query)
		if (query.cursor !== undefined && query.page > 1)
			throw new AppError('validation', 'page, cursor: send only one of them')
		const rows = await postStore(deps.db).listNewest(toViewer(caller, deps), query.per_page + 1, from)
		// A page requested by number also returns a cursor to the next one.
		buildPage(
			rows,
			{ limit: query.per_page },
			(row) => [row.createdAt, row.id],
			withoutPage(request),
			headers,
		)
		return wrapOpenList(rows.map(viewPost), query)
	}),

	serve(contract.searchPosts, async ({ deps, caller, query }) => {
		const viewer = toViewer(caller, deps)
		const rows = await postStore(deps.db).search(
			viewer,
			query.search_text,
			query.per_page + 1,
			computePageOffset(query),
		)
		return wrapOpenList(rows.map(viewPost), query)
	}),

	serve(contract.listMemberPosts, async ({ deps, caller, params, query }) => {
		const { per_page } = query
		const viewer = toViewer(caller, deps)
		const rows = await listMemberPosts(deps, viewer, params.memberId, per_page + 1, computePageOffset(query))
		return wrapOpenList(rows.map(viewPost), query)
	}),

	...serveWithAliases(contract.getPost, [contract.getPostOfSpace], async ({ deps, caller, params }) => {
		await requirePlaceOfPost(deps, params)
		return viewPost(await readPost(deps, toViewer(caller, deps), params.postId))
	}),

	...serveWithAliases(
		contract.updatePost,
		[contract.updatePostOfSpace],
		async ({ deps, caller, params, body: { name: title, ...rest } }) => {
			await requirePlaceOfPost(deps, params)
			const change = omitUndefined({ title, ...rest })
			return viewPost(await updatePost(deps, toViewer(caller, deps), params.postId, change))
		},
	),

	...serveWithAliases(contract.deletePost, [contract.deletePostOfSpace], async ({ deps, caller, params }) => {
		await requirePlaceOfPost(deps, params)
		await deletePost(deps, toViewer(caller, deps), params.postId)
		return { success: true as const }
	}),
]
