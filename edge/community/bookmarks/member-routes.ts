import * as contract from '#schema/contract/community/member/bookmarks.ts'
import { type Route, serve } from '../../http/route.ts'
import { toViewer } from '../access/viewer.ts'
import { computePageOffset, wrapFixedList, wrapPagedList } from '../lists.ts'
import { bookmarkPost, deleteBookmark, listSpaceBookmarks } from './bookmarks.ts'
import { bookmarkStore } from './store.ts'
import { viewBookmark, viewSpaceBookmark } from './view.ts'

export const bookmarkRoutes: Route[] = [
	serve(contract.listBookmarks, async ({ deps, caller, query }) => {
		const viewer = toViewer(caller, deps)
		const store = bookmarkStore(deps.db)
		const [rows, count] = await Promise.all([
			store.list(viewer, query.per_page, computePageOffset(query)),
			store.count(viewer),
		])
		return wrapPagedList(rows.map(viewBookmark), count, query)
	}),

	serve(contract.createBookmark, async ({ deps, caller, body, markExisting }) => {
		if (!(await bookmarkPost(deps, toViewer(caller, deps), body.bookmarkable_id))) markExisting()
		return { success: true as const }
	}),

	serve(contract.deleteBookmark, async ({ deps, caller, params }) => {
		await deleteBookmark(deps, toViewer(caller, deps), params.postId)
		return { success: true as const }
	}),

	serve(contract.listSpaceBookmarks, async ({ deps, caller, params }) => {
		const rows = await listSpaceBookmarks(deps, toViewer(caller, deps), params.spaceId)
		return wrapFixedList(rows.map(viewSpaceBookmark))
	}),
]
