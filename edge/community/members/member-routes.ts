import * as contract from '#schema/contract/community/member/members.ts'
import type { Member } from '../../http/caller.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { type Route, serve } from '../../http/route.ts'
import type { Deps } from '../../platform/deps.ts'
import { toViewer } from '../access/viewer.ts'
import { computePageOffset, wrapFixedList, wrapOpenList } from '../lists.ts'
import { nameNextPage, readPageStart } from '../page-start.ts'
import { profileFieldStore } from '../profile-fields/store.ts'
import { deactivateMember, findProfile, updateProfile } from './members.ts'
import { memberStore } from './store.ts'
import { viewCurrentMember, viewMemberCard, viewProfile, viewProfileField } from './view.ts'

async function listProfileFields(deps: Deps, caller: Member) {
	const rows = await profileFieldStore(deps.db).list(caller.communityId)
	return wrapFixedList(rows.map(viewProfileField))
}

export const memberRoutes: Route[] = [
	serve(contract.getCurrentMember, async ({ deps, caller }) =>
		viewCurrentMember(await findProfile(deps, toViewer(caller, deps), caller.membershipId)),
	),

	serve(contract.listMemberCards, async ({ deps, caller, query, request, headers }) => {
		const viewer = toViewer(caller, deps)
		const rows = await memberStore(deps.db).list(viewer, query.per_page + 1, readPageStart(query))
		nameNextPage(rows, query, request, headers)
		return wrapOpenList(rows.map(viewMemberCard), query)
	}),

	serve(contract.searchMembers, async ({ deps, caller, query }) => {
		const viewer = toViewer(caller, deps)
		const rows = await memberStore(deps.db).search(
			viewer,
			query.search_text,
			query.per_page + 1,
			computePageOffset(query),
		)
		return wrapOpenList(rows.map(viewMemberCard), query)
	}),

	serve(contract.updateProfile, async ({ deps, caller, body }) => {
		const { name, avatar_url: avatarUrl, headline, bio, profile_fields: values } = body
		const change = omitUndefined({ name, avatarUrl, headline, bio })
		return viewProfile(await updateProfile(deps, toViewer(caller, deps), change, values))
	}),

	serve(contract.deactivateMember, async ({ deps, caller }) => {
		await deactivateMember(deps, toViewer(caller, deps), caller.org?.id ?? null)
		return { success: true as const }
	}),

	serve(contract.getPublicProfile, async ({ deps, caller, params }) =>
		viewProfile(await findProfile(deps, toViewer(caller, deps), params.memberId)),
	),

	serve(contract.listProfileFields, async ({ deps, caller }) => listProfileFields(deps, caller)),

	serve(contract.listPageProfileFields, async ({ deps, caller }) => listProfileFields(deps, caller)),
]
