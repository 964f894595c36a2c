import * as contract from '#schema/contract/community/member/tokens.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso } from '../../platform/clock.ts'
import { listMemberGrants, revokeMemberGrants } from './grants.ts'
import type { GrantRow } from './store.ts'
import { refreshTokens, revokeAccess, revokeRefresh } from './tokens.ts'

const viewGrant = (row: GrantRow) => ({
	id: row.id,
	createdAt: toIso(row.createdAt),
	expiresAt: toIso(row.expiresAt),
})

export const memberTokenRoutes: Route[] = [
	serve(contract.refreshMemberToken, async ({ deps, body }) => refreshTokens(deps, body.refresh_token)),

	serve(contract.revokeMemberAccessToken, async ({ deps, body }) => {
		await revokeAccess(deps, body.access_token)
		return undefined
	}),

	serve(contract.revokeMemberRefreshToken, async ({ deps, body }) => {
		await revokeRefresh(deps, body.refresh_token)
		return undefined
	}),

	serve(contract.listMemberTokens, async ({ deps, caller, params: { communityId, memberId } }) => {
		const grants = await listMemberGrants(deps, caller, communityId, memberId)
		return { data: grants.map(viewGrant) }
	}),

	serve(contract.revokeMemberTokens, async ({ deps, caller, params: { communityId, memberId } }) => {
		const revoked = await revokeMemberGrants(deps, caller, communityId, memberId)
		return { data: { memberId, revoked } }
	}),
]
