import * as contract from '#schema/contract/community/manage/managed-members.ts'
import { addCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { type Route, serve } from '../../http/route.ts'
import { inviteToCommunity } from '../invitations/invitations.ts'
import { viewInvited, viewMember } from '../members/manage-routes.ts'
import { findMembership } from '../members/memberships.ts'
import { refusals } from './rows.ts'
import type { VouchedRow } from './store.ts'
import { vouchForMember, vouchForMembers } from './vouch.ts'

const viewVouched = ({ ssoUserId, memberId, isNew, refusal }: VouchedRow) => ({
	ssoUserId,
	memberId,
	...(refusal === null
		? { status: isNew ? ('created' as const) : ('updated' as const) }
		: { status: 'refused' as const, error: refusals[refusal] }),
})

export const managedMemberRoutes: Route[] = [
	serve(addCommunityMember, async ({ deps, caller, params: { communityId }, body, markExisting }) => {
		const { status, email, ssoUserId, role, ...more } = body
		if (status !== 'active' || !ssoUserId) {
			const { avatarUrl = null, headline = null, bio = null } = more
			const profile = { ssoUserId: ssoUserId ?? null, avatarUrl, headline, bio }
			const invitee = { email: email as string, role: role ?? 'member', ...profile }
			return { data: viewInvited(await inviteToCommunity(deps, caller, communityId, invitee)) }
		}
		const person = { ...more, email, ssoUserId, role }
		const { memberId, isNew } = await vouchForMember(deps, caller, communityId, person)
		if (!isNew) markExisting()
		return { data: viewMember(await findMembership(deps, caller, communityId, memberId)) }
	}),

	serve(contract.addCommunityMembers, async ({ deps, caller, params, body }) => {
		const rows = await vouchForMembers(deps, caller, params.communityId, body.members)
		return { data: rows.map(viewVouched) }
	}),
]
