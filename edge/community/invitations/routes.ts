import * as contract from '#schema/contract/community/manage/invitations.ts'
import { invitationStatus } from '../../accounts/invitations/invitation.ts'
import { buildPage } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso } from '../../platform/clock.ts'
import {
	acceptCommunityInvitation,
	inviteByMember,
	inviteToCommunity,
	listCommunityInvitations,
	revokeCommunityInvitation,
} from './invitations.ts'
import type { ListedInvitation } from './store.ts'

const viewInvitation = (row: ListedInvitation, now: number): contract.CommunityInvitation => ({
	id: row.id,
	email: row.email,
	memberId: row.memberId,
	role: row.role,
	status: invitationStatus(row, now),
	createdAt: toIso(row.createdAt),
	expiresAt: toIso(row.expiresAt),
})

export const communityInvitationRoutes: Route[] = [
	serve(contract.acceptCommunityInvitation, async ({ deps, caller, body }) => ({
		data: await acceptCommunityInvitation(deps, caller, body.token),
	})),

	serve(contract.inviteToCommunity, async ({ deps, caller, params, body }) => ({
		data: viewInvitation(
			{ ...(await inviteToCommunity(deps, caller, params.communityId, body)), memberId: null },
			deps.now,
		),
	})),

	serve(contract.listCommunityInvitations, async ({ deps, caller, params, query, request, headers }) => {
		const rows = await listCommunityInvitations(deps, caller, params.communityId, query)
		const page = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map((row) => viewInvitation(row, deps.now)) }
	}),

	serve(contract.revokeCommunityInvitation, async ({ deps, caller, params }) => {
		const { communityId, invitationId: id } = params
		await revokeCommunityInvitation(deps, caller, communityId, id)
		return { data: { id, deleted: true as const } }
	}),

	serve(contract.inviteMemberByMail, async ({ deps, caller, body }) => {
		await inviteByMember(deps, caller, body)
		return { success: true as const }
	}),
]
