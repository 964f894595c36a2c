import * as contract from '#schema/contract/community/members.ts'
import type { Member } from '../../http/caller.ts'
import { givenOf } from '../../http/changes.ts'
import { AppError } from '../../http/errors.ts'
import { type Route, serve } from '../../http/route.ts'
import type { Deps } from '../../platform/deps.ts'
import { viewerOf } from '../access/viewer.ts'
import { fixedListOf, offsetOf, openListOf } from '../lists.ts'
import { profileFieldStore } from '../profile-fields/store.ts'
import { memberStore } from './store.ts'
import { viewCard, viewCurrentMember, viewProfile, viewProfileField } from './view.ts'

async function findProfile(deps: Deps, caller: Member, memberId: number) {
	const row = await memberStore(deps.db).findProfile(viewerOf(caller, deps), memberId)
	if (!row) throw new AppError('not_found', 'no such member')
	return row
}

async function listProfileFields(deps: Deps, caller: Member) {
	const rows = await profileFieldStore(deps.db).list(caller.communityId)
	return fixedListOf(rows.map(viewProfileField))
}

export const memberRoutes: Route[] = [
	serve(contract.getCurrentMember, async ({ deps, caller }) =>
		viewCurrentMember(await findProfile(deps, caller, caller.membershipId)),
	),

	serve(contract.listMemberCards, async ({ deps, caller, query }) => {
		const viewer = viewerOf(caller, deps)
		const rows = await memberStore(deps.db).list(viewer, query.per_page + 1, offsetOf(query))
		return openListOf(rows.map(viewCard), query)
	}),

	serve(contract.updateProfile, async ({ deps, caller, body }) => {
		const { avatar_url: avatarUrl, headline, bio } = body
		await memberStore(deps.db).update(viewerOf(caller, deps), givenOf({ avatarUrl, headline, bio }))
		return viewProfile(await findProfile(deps, caller, caller.membershipId))
	}),

	serve(contract.deactivateMember, async ({ deps, caller }) => {
		if (!(await memberStore(deps.db).deactivate(viewerOf(caller, deps))))
			throw new AppError('forbidden', 'owners and admins stay until they are something else')
		return { success: true as const }
	}),

	serve(contract.getPublicProfile, async ({ deps, caller, params }) =>
		viewProfile(await findProfile(deps, caller, params.memberId)),
	),

	serve(contract.listProfileFields, async ({ deps, caller }) => listProfileFields(deps, caller)),

	serve(contract.listPageProfileFields, async ({ deps, caller }) => listProfileFields(deps, caller)),
]
