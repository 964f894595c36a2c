import * as contract from '#schema/contract/community/member/posts.ts'
import { setEntityTag, updateMatching } from '../../http/entity-tag.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { type Route, serve, serveWithAliases } from '../../http/route.ts'
import { toViewer } from '../access/viewer.ts'
import { computePageOffset, wrapOpenList } from '../lists.ts'
import { requirePlaceOfPost } from '../nesting/nesting.ts'
import { nameNextPage, readPageStart } from '../page-start.ts'
import {
	createPost,
	deletePost,
	findPost,
	listMemberPosts,
	listSpacePosts,
	readPost,
	updatePost,
} from './posts.ts'
import { postStore } from './store.ts'
import { readPostState, toPostReader, viewPost, viewPosts } from './view.ts'

export const postRoutes: Route[] = [
	serve(contract.listSpacePosts, async ({ deps, caller, params, query, request, headers }) => {
		const reader = toPostReader(deps, caller, request)
		const [limit, start] = [query.per_page + 1, readPageStart(query)]
		const rows = await listSpacePosts(deps, reader.viewer, params.spaceId, limit, start)
		nameNextPage(rows, query, request, headers)
		return wrapOpenList(await viewPosts(reader, rows, query.body), query)
	}),

	serve(contract.createPost, async ({ deps, caller, params, body, request }) => {
		const { name: title, ...post } = body
		const reader = toPostReader(deps, caller, request)
		return viewPost(reader, await createPost(deps, reader.viewer, params.spaceId, { ...post, title }))
	}),

	serve(contract.listHomePosts, async ({ deps, caller, query, request, headers }) => {
		const reader = toPostReader(deps, caller, request)
		const [limit, start] = [query.per_page + 1, readPageStart(query)]
		const rows = await postStore(deps.db).listVisible(reader.viewer, limit, start)
		nameNextPage(rows, query, request, headers)
		return wrapOpenList(await viewPosts(reader, rows, query.body), query)
	}),

	serve(contract.searchPosts, async ({ deps, caller, query, request }) => {
		const reader = toPostReader(deps, caller, request)
		const [limit, offset] = [query.per_page + 1, computePageOffset(query)]
		const rows = await postStore(deps.db).search(reader.viewer, query.search_text, limit, offset)
		return wrapOpenList(await viewPosts(reader, rows, query.body), query)
	}),

	serve(contract.listMemberPosts, async ({ deps, caller, params, query, request }) => {
		const reader = toPostReader(deps, caller, request)
		const [limit, offset] = [query.per_page + 1, computePageOffset(query)]
		const rows = await listMemberPosts(deps, reader.viewer, params.memberId, limit, offset)
		return wrapOpenList(await viewPosts(reader, rows, query.body), query)
	}),

	...serveWithAliases(
		contract.getPost,
		[contract.getPostOfSpace],
		async ({ deps, caller, params, request, headers }) => {
			await requirePlaceOfPost(deps, params)
			const reader = toPostReader(deps, caller, request)
			const post = await readPost(deps, reader.viewer, params.postId)
			await setEntityTag(headers, readPostState(post))
			return viewPost(reader, post)
		},
	),

	...serveWithAliases(
		contract.updatePost,
		[contract.updatePostOfSpace],
		async ({ deps, caller, params, body: { name: title, ...rest }, request, headers }) => {
			await requirePlaceOfPost(deps, params)
			const change = omitUndefined({ title, ...rest })
			const reader = toPostReader(deps, caller, request)
			const post = await updateMatching(
				contract.updatePost,
				{ request, headers },
				{
					read: () => findPost(deps, reader.viewer, params.postId),
					toState: readPostState,
					update: (before) => updatePost(deps, reader.viewer, params.postId, change, before),
				},
			)
			return viewPost(reader, post)
		},
	),

	...serveWithAliases(contract.deletePost, [contract.deletePostOfSpace], async ({ deps, caller, params }) => {
		await requirePlaceOfPost(deps, params)
		await deletePost(deps, toViewer(caller, deps), params.postId)
		return { success: true as const }
	}),
]
