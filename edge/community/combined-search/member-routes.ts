import * as contract from '#schema/contract/community/member/combined-search.ts'
import { type Route, serve } from '../../http/route.ts'
import { toViewer } from '../access/viewer.ts'
import { computePageOffset, wrapOpenList } from '../lists.ts'
import { memberStore } from '../members/store.ts'
import { viewMemberCard } from '../members/view.ts'
import { postStore } from '../posts/store.ts'
import { toPostReader, viewPosts } from '../posts/view.ts'
import { listMatchingMembers } from './list-matching-members.ts'

export const combinedSearchRoutes: Route[] = [
	serve(contract.searchCommunity, async ({ deps, caller, query, request }) => {
		const reader = toPostReader(deps, caller, request)
		const { viewer } = reader
		const { search_text: text, page, per_page } = query
		const offset = computePageOffset(query)
		const [members, posts] = await Promise.all([
			memberStore(deps.db).search(viewer, text, per_page + 1, offset),
			postStore(deps.db).search(viewer, text, per_page + 1, offset),
		])
		const shown = await viewPosts(reader, posts.slice(0, per_page), 'full')
		const records: contract.SearchResult[] = [
			...members.slice(0, per_page).map((row) => ({
				type: 'community_member' as const,
				id: String(row.id),
				attributes: viewMemberCard(row),
			})),
			...shown.map((post) => ({ type: 'post' as const, id: String(post.id), attributes: post })),
		]
		return { page, per_page, has_next_page: Math.max(members.length, posts.length) > per_page, records }
	}),

	serve(contract.searchMembersByBody, async ({ deps, caller, body }) => {
		const viewer = toViewer(caller, deps)
		const [limit, offset] = [body.per_page + 1, computePageOffset(body)]
		const rows = await listMatchingMembers(deps, viewer, body.search_text, limit, offset)
		return wrapOpenList(rows.map(viewMemberCard), body)
	}),
]
