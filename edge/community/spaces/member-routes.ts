import * as contract from '#schema/contract/community/member/spaces.ts'
import { type Route, serve } from '../../http/route.ts'
import { viewerOf } from '../access/viewer.ts'
import { fixedListOf } from '../lists.ts'
import { findSpace, findSpaceGroup, listMemberSpaces, listTopics } from './spaces.ts'
import { type SpaceRow, spaceStore, type TopicRow } from './store.ts'

const viewSpace = (row: SpaceRow): contract.MemberSpace => ({
	id: row.id,
	name: row.name,
	slug: row.slug,
	space_type: row.spaceType,
	space_group_id: row.spaceGroupId,
})

const viewTopic = (row: TopicRow) => ({
	id: row.id,
	name: row.name,
	slug: row.slug,
	posts_count: row.postsCount,
	space_id: row.spaceId,
})

export const spaceRoutes: Route[] = [
	serve(contract.listSpaces, async ({ deps, caller }) => {
		const rows = await spaceStore(deps.db).list(viewerOf(caller, deps))
		return fixedListOf(rows.map(viewSpace))
	}),

	serve(contract.getSpace, async ({ deps, caller, params }) =>
		viewSpace(await findSpace(deps, viewerOf(caller, deps), params.spaceId)),
	),

	serve(contract.listMemberSpaces, async ({ deps, caller, params }) => {
		const rows = await listMemberSpaces(deps, viewerOf(caller, deps), params.memberId)
		return fixedListOf(rows.map(viewSpace))
	}),

	serve(contract.listTopics, async ({ deps, caller, params }) => {
		const rows = await listTopics(deps, viewerOf(caller, deps), params.spaceId)
		return fixedListOf(rows.map(viewTopic))
	}),

	serve(contract.listAllTopics, async ({ deps, caller }) =>
		fixedListOf(await spaceStore(deps.db).listAllTopics(viewerOf(caller, deps))),
	),

	serve(contract.listMemberSpaceGroups, async ({ deps, caller }) =>
		fixedListOf(await spaceStore(deps.db).listGroups(viewerOf(caller, deps))),
	),

	serve(contract.getMemberSpaceGroup, async ({ deps, caller, params }) =>
		findSpaceGroup(deps, viewerOf(caller, deps), params.spaceGroupId),
	),

	serve(contract.joinSpace, async ({ deps, caller, params }) => {
		await findSpace(deps, viewerOf(caller, deps), params.spaceId)
		return { success: true as const }
	}),

	serve(contract.leaveSpace, async ({ deps, caller, params }) => {
		await findSpace(deps, viewerOf(caller, deps), params.spaceId)
		return { success: true as const }
	}),

	serve(contract.listCommunityLinks, async () => fixedListOf([])),
]
