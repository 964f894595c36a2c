import * as contract from '#schema/contract/community/memberships.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { givenOf } from '../../http/changes.ts'
import { AppError } from '../../http/errors.ts'
import { pageOf, positionOf } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { iso } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuseTaken, wantCommunity } from '../communities/communities.ts'
import { inviteToCommunity } from '../invitations/invitations.ts'
import type { InvitationRow } from '../invitations/store.ts'
import { closeStreams } from '../notifications/streams-door.ts'
import { indexBehind } from '../search/index-content.ts'
import { type Change, type MembershipRow, membershipStore } from './store.ts'

const viewMember = ({ communityId: _, ...row }: MembershipRow): contract.CommunityMember => ({
	...row,
	createdAt: iso(row.createdAt),
	updatedAt: iso(row.updatedAt),
})

/** What the caller said, and nothing else. */
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

const noMember = () => new AppError('not_found', 'no such member')

const wanted = (row: MembershipRow | undefined): MembershipRow => {
	if (!row) throw noMember()
	return row
}

/** Whose role or state a caller may change: an API key only that of plain members. */
const changeable = ({ kind }: OrgCaller, { role, status }: Change): 'anyone' | 'plain members' =>
	kind === 'key' && (role !== undefined || status !== undefined) ? 'plain members' : 'anyone'

/** After nothing was changed: was it because the member is more than a key may touch? */
async function refuseHigher(deps: Deps, caller: OrgCaller, communityId: number, id: number): Promise<void> {
	if (await membershipStore(deps.db).find(caller.org.id, communityId, id))
		throw new AppError('forbidden', 'an API key changes plain members only; this takes a person in a session')
}

export const membershipRoutes: Route[] = [
	serve(contract.listCommunityMembers, async ({ deps, caller, params, query, request, headers }) => {
		const { id } = await wantCommunity(deps, caller, params.communityId)
		const rows = await membershipStore(deps.db).list(id, query.limit, positionOf(query))
		const page = pageOf(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map(viewMember) }
	}),

	serve(contract.addCommunityMember, async ({ deps, caller, params, body }) => {
		return { data: viewInvited(await inviteToCommunity(deps, caller, params.communityId, body)) }
	}),

	serve(contract.getCommunityMember, async ({ deps, caller, params }) => {
		const row = await membershipStore(deps.db).find(caller.org.id, params.communityId, params.memberId)
		return { data: viewMember(wanted(row)) }
	}),

	serve(contract.updateCommunityMember, async ({ deps, caller, params, body }) => {
		const { communityId, memberId } = params
		const store = membershipStore(deps.db)
		const change = givenOf(body)
		const row = await refuseTaken('another member has this ssoUserId', () =>
			store.update(caller.org.id, communityId, memberId, change, deps.now, changeable(caller, change)),
		)
		if (!row) await refuseHigher(deps, caller, communityId, memberId)
		indexBehind(deps, 'member', memberId)
		if (row && row.status !== 'active') deps.defer(closeStreams(deps, communityId, memberId))
		return { data: viewMember(wanted(row)) }
	}),

	serve(contract.removeCommunityMember, async ({ deps, caller, params }) => {
		const { communityId, memberId: id } = params
		const removable = changeable(caller, { status: 'inactive' })
		if (!(await membershipStore(deps.db).remove(caller.org.id, communityId, id, deps.now, removable))) {
			await refuseHigher(deps, caller, communityId, id)
			throw noMember()
		}
		deps.defer(closeStreams(deps, communityId, id))
		return { data: { id, deleted: true as const } }
	}),
]
