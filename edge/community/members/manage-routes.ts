import * as contract from '#schema/contract/community/manage/memberships.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { pageOf, positionOf } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { iso } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { rejectDuplicate, requireCommunity } from '../communities/communities.ts'
import { inviteToCommunity } from '../invitations/invitations.ts'
import type { InvitationRow } from '../invitations/store.ts'
import { memberNotFoundError } from '../not-found.ts'
import { deferNotifications } from '../notifications/pending-notification.ts'
import { closeStreams } from '../notifications/streams-stub.ts'
import { deferIndexing } from '../search/index-content.ts'
import { type Change, type MembershipRow, membershipStore } from './manage-store.ts'

const viewMember = ({ communityId: _, ...row }: MembershipRow): contract.CommunityMember => ({
	...row,
	memberId: row.id,
	createdAt: iso(row.createdAt),
	updatedAt: iso(row.updatedAt),
})

/** Returns only what the caller sent, so that it does not reveal whether the address has an account. */
const viewInvited = (row: InvitationRow): contract.InvitedMember => ({
	invitationId: row.id,
	email: row.email,
	role: row.role,
	status: 'invited',
	ssoUserId: row.ssoUserId,
	avatarUrl: row.avatarUrl,
	headline: row.headline,
	bio: row.bio,
	createdAt: iso(row.createdAt),
	expiresAt: iso(row.expiresAt),
})

/** Returns which members a caller may change. An API key may change role and status of plain members only. */
const changeableMembers = ({ kind }: OrgCaller, { role, status }: Change): 'anyone' | 'plain members' =>
	kind === 'key' && (role !== undefined || status !== undefined) ? 'plain members' : 'anyone'

/** Explains why nothing was changed: no such member, no permission for an API key, or the last owner. */
async function changeRefusedError(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	id: number,
): Promise<AppError> {
	const member = await membershipStore(deps.db).find(caller.org.id, communityId, id)
	if (!member) return memberNotFoundError()
	if (caller.kind === 'key' && member.role !== 'member')
		return new AppError(
			'forbidden',
			'an API key can change plain members only; sign in as a person to change others',
		)
	return new AppError('conflict', 'a community needs an owner; make someone else an owner first')
}

export const membershipRoutes: Route[] = [
	serve(contract.listCommunityMembers, async ({ deps, caller, params, query, request, headers }) => {
		const { id } = await requireCommunity(deps, caller, params.communityId)
		const rows = await membershipStore(deps.db).list(id, query.limit, positionOf(query))
		const page = pageOf(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map(viewMember) }
	}),

	serve(contract.addCommunityMember, async ({ deps, caller, params, body }) => {
		return { data: viewInvited(await inviteToCommunity(deps, caller, params.communityId, body)) }
	}),

	serve(contract.getCommunityMember, async ({ deps, caller, params }) => {
		const row = await membershipStore(deps.db).find(caller.org.id, params.communityId, params.memberId)
		if (!row) throw memberNotFoundError()
		return { data: viewMember(row) }
	}),

	serve(contract.updateCommunityMember, async ({ deps, caller, params, body }) => {
		const { communityId, memberId } = params
		const store = membershipStore(deps.db)
		const change = omitUndefined(body)
		const updated = await rejectDuplicate('another member already has this ssoUserId', () =>
			store.update(caller.org.id, communityId, memberId, change, deps.now, changeableMembers(caller, change)),
		)
		if (!updated) throw await changeRefusedError(deps, caller, communityId, memberId)
		const { row, promoted } = updated
		deferNotifications(deps, 'place', promoted)
		deferIndexing(deps, 'member', memberId)
		if (row.status !== 'active') deps.defer(closeStreams(deps, communityId, memberId))
		if (change.avatarUrl !== undefined) deps.defer(queuePurges(deps))
		return { data: viewMember(row) }
	}),

	serve(contract.removeCommunityMember, async ({ deps, caller, params }) => {
		const { communityId, memberId: id } = params
		const removable = changeableMembers(caller, { status: 'inactive' })
		const promoted = await membershipStore(deps.db).remove(
			caller.org.id,
			communityId,
			id,
			deps.now,
			removable,
		)
		if (!promoted) throw await changeRefusedError(deps, caller, communityId, id)
		deferNotifications(deps, 'place', promoted)
		deps.defer(closeStreams(deps, communityId, id))
		deps.defer(queuePurges(deps))
		return { data: { id, deleted: true as const } }
	}),
]
