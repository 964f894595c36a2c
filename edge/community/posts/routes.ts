import * as contract from '#schema/contract/community/posts.ts'
import { givenOf } from '../../http/changes.ts'
import { type Route, serve } from '../../http/route.ts'
import { viewerOf } from '../access/viewer.ts'
import { offsetOf, openListOf } from '../lists.ts'
import { findUserId } from '../members/members.ts'
import { findSpace } from '../spaces/spaces.ts'
import { createPost, deletePost, findPost, updatePost } from './posts.ts'
import { postStore } from './store.ts'
import { viewPost } from './view.ts'

export const postRoutes: Route[] = [
	serve(contract.listSpacePosts, async ({ deps, caller, params, query }) => {
		const viewer = viewerOf(caller, deps)
		const { id } = await findSpace(deps, viewer, params.spaceId)
		const rows = await postStore(deps.db).listOfSpace(viewer, id, query.per_page + 1, offsetOf(query))
		return openListOf(rows.map(viewPost), query)
	}),

	serve(contract.createPost, async ({ deps, caller, params, body }) => {
		const { name: title, ...post } = body
		return viewPost(await createPost(deps, viewerOf(caller, deps), params.spaceId, { ...post, title }))
	}),

	serve(contract.listHomePosts, async ({ deps, caller, query }) => {
		const viewer = viewerOf(caller, deps)
		const rows = await postStore(deps.db).listNewest(viewer, query.per_page + 1, offsetOf(query))
		return openListOf(rows.map(viewPost), query)
	}),

	serve(contract.searchPosts, async ({ deps, caller, query }) => {
		const viewer = viewerOf(caller, deps)
		const rows = await postStore(deps.db).search(
			viewer,
			query.search_text,
			query.per_page + 1,
			offsetOf(query),
		)
		return openListOf(rows.map(viewPost), query)
	}),

	serve(contract.listMemberPosts, async ({ deps, caller, params, query }) => {
		const viewer = viewerOf(caller, deps)
		const authorId = await findUserId(deps, viewer, params.memberId)
		const rows = await postStore(deps.db).listOf(viewer, authorId, query.per_page + 1, offsetOf(query))
		return openListOf(rows.map(viewPost), query)
	}),

	serve(contract.getPost, async ({ deps, caller, params }) =>
		viewPost(await findPost(deps, viewerOf(caller, deps), params.postId)),
	),

	serve(contract.updatePost, async ({ deps, caller, params, body: { name: title, ...rest } }) => {
		const change = givenOf({ title, ...rest })
		return viewPost(await updatePost(deps, viewerOf(caller, deps), params.postId, change))
	}),

	serve(contract.deletePost, async ({ deps, caller, params }) => {
		await deletePost(deps, viewerOf(caller, deps), params.postId)
		return { success: true as const }
	}),
]
