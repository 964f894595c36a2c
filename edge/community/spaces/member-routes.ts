import type { CommunityRole } from '#schema/contract/community/fields.ts'
import * as contract from '#schema/contract/community/member/spaces.ts'
import { type Route, serve } from '../../http/route.ts'
import { toViewer } from '../access/viewer.ts'
import { wrapFixedList } from '../lists.ts'
import { decideSpacePolicies } from './policies.ts'
import {
	findHomeSpace,
	findSpace,
	findSpaceGroup,
	listMemberSpaces,
	listTopics,
	markSpaceRead,
} from './spaces.ts'
import { type SpaceRow, spaceStore, type TopicRow } from './store.ts'

const viewSpace = (role: CommunityRole, row: SpaceRow): contract.MemberSpace => ({
	id: row.id,
	name: row.name,
	slug: row.slug,
	space_type: row.spaceType,
	space_group_id: row.spaceGroupId,
	emoji: row.emoji,
	description: row.description,
	visibility: row.visibility,
	posts_count: row.postsCount,
	unread_posts_count: row.unreadCount,
	policies: decideSpacePolicies(role, row),
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
		const rows = await spaceStore(deps.db).list(toViewer(caller, deps))
		return wrapFixedList(rows.map((row) => viewSpace(caller.role, row)))
	}),

	serve(contract.getSpace, async ({ deps, caller, params }) =>
		viewSpace(caller.role, await findSpace(deps, toViewer(caller, deps), params.spaceId)),
	),

	serve(contract.getHomeSpace, async ({ deps, caller }) =>
		viewSpace(caller.role, await findHomeSpace(deps, toViewer(caller, deps))),
	),

	serve(contract.listMemberSpaces, async ({ deps, caller, params }) => {
		const rows = await listMemberSpaces(deps, toViewer(caller, deps), params.memberId)
		return wrapFixedList(rows.map((row) => viewSpace(caller.role, row)))
	}),

	serve(contract.listTopics, async ({ deps, caller, params }) => {
		const rows = await listTopics(deps, toViewer(caller, deps), params.spaceId)
		return wrapFixedList(rows.map(viewTopic))
	}),

	serve(contract.listAllTopics, async ({ deps, caller }) =>
		wrapFixedList(await spaceStore(deps.db).listAllTopics(toViewer(caller, deps))),
	),

	serve(contract.listMemberSpaceGroups, async ({ deps, caller }) =>
		wrapFixedList(await spaceStore(deps.db).listGroups(toViewer(caller, deps))),
	),

	serve(contract.getMemberSpaceGroup, async ({ deps, caller, params }) =>
		findSpaceGroup(deps, toViewer(caller, deps), params.spaceGroupId),
	),

	serve(contract.joinSpace, async ({ deps, caller, params }) => {
		await findSpace(deps, toViewer(caller, deps), params.spaceId)
		return { success: true as const }
	}),

	serve(contract.markSpaceRead, async ({ deps, caller, params }) => {
		await markSpaceRead(deps, toViewer(caller, deps), params.spaceId)
		return { success: true as const }
	}),

	serve(contract.leaveSpace, async ({ deps, caller, params }) => {
		await findSpace(deps, toViewer(caller, deps), params.spaceId)
		return { success: true as const }
	}),

	serve(contract.listCommunityLinks, async () => wrapFixedList([])),
]
