import type { ListQuery } from '#schema/contract/community/fields.ts'
import * as contract from '#schema/contract/community/posts.ts'
import { givenOf } from '../../http/changes.ts'
import { type Route, serve } from '../../http/route.ts'
import type { Deps } from '../../platform/deps.ts'
import { viewerOf } from '../access/viewer.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { offsetOf, openListOf } from '../lists.ts'
import { findSpace } from '../spaces/spaces.ts'
import { createPost, deletePost, findPost, updatePost } from './posts.ts'
import { postStore } from './store.ts'
import { viewPost } from './view.ts'

async function listPosts({ db }: Deps, viewer: Viewer, spaceId: number | null, query: ListQuery) {
	const rows = await postStore(db).list(viewer, spaceId, query.per_page + 1, offsetOf(query))
	return openListOf(rows.map(viewPost), query)
}

export const postRoutes: Route[] = [
	serve(contract.listSpacePosts, async ({ deps, caller, params, query }) => {
		const viewer = viewerOf(caller, deps)
		const { id } = await findSpace(deps, viewer, params.spaceId)
		return listPosts(deps, viewer, id, query)
	}),

	serve(contract.createPost, async ({ deps, caller, params, body }) => {
		const { name: title, ...post } = body
		return viewPost(await createPost(deps, viewerOf(caller, deps), params.spaceId, { ...post, title }))
	}),

	serve(contract.listHomePosts, async ({ deps, caller, query }) =>
		listPosts(deps, viewerOf(caller, deps), null, query),
	),

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
