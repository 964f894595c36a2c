import * as contract from '#schema/contract/community/manage/memberships.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { buildPage } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso } from '../../platform/clock.ts'
import type { InvitationRow } from '../invitations/store.ts'
import type { MembershipRow } from './manage-store.ts'
import { findMembership, listMemberships, removeMembership, updateMembership } from './memberships.ts'

export const viewMember = ({ communityId: _, ...row }: MembershipRow): contract.CommunityMember => ({
	...row,
	memberId: row.id,
	createdAt: toIso(row.createdAt),
	updatedAt: toIso(row.updatedAt),
})

/** Returns only what the caller sent, so that it does not reveal whether the address has an account. */
export const viewInvited = (row: InvitationRow): contract.InvitedMember => ({
	invitationId: row.id,
	email: row.email,
	role: row.role,
	status: 'invited',
	ssoUserId: row.ssoUserId,
	avatarUrl: row.avatarUrl,
	headline: row.headline,
	bio: row.bio,
	createdAt: toIso(row.createdAt),
	expiresAt: toIso(row.expiresAt),
})

export const membershipRoutes: Route[] = [
	serve(contract.listCommunityMembers, async ({ deps, caller, params, query, request, headers }) => {
		const rows = await listMemberships(deps, caller, params.communityId, query)
		const page = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map(viewMember) }
	}),

	serve(contract.getCommunityMember, async ({ deps, caller, params }) => ({
		data: viewMember(await findMembership(deps, caller, params.communityId, params.memberId)),
	})),

	serve(contract.updateCommunityMember, async ({ deps, caller, params, body }) => {
		const { communityId, memberId } = params
		return {
			data: viewMember(await updateMembership(deps, caller, communityId, memberId, omitUndefined(body))),
		}
	}),

	serve(contract.removeCommunityMember, async ({ deps, caller, params, query }) => {
		const { communityId, memberId: id } = params
		await removeMembership(deps, caller, communityId, id, { deleteContent: query.deleteContent === 'true' })
		return { data: { id, deleted: true as const } }
	}),
]
