import * as contract from '#schema/contract/community/member/tokens.ts'
import { type Route, serve } from '../../http/route.ts'
import { iso } from '../../platform/clock.ts'
import { memberNotFoundError } from '../not-found.ts'
import { closeStreams } from '../notifications/streams-stub.ts'
import { accessStore, type GrantRow } from './store.ts'
import { exchangeToken, refreshTokens, revokeAccess, revokeRefresh } from './tokens.ts'

export const memberTokenRoutes: Route[] = [
	serve(contract.createMemberToken, async ({ deps, caller, body }) => exchangeToken(deps, caller, body)),

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
		const grants = await accessStore(deps.db).listGrants(caller.org.id, communityId, memberId, deps.now)
		if (!grants) throw memberNotFoundError()
		const view = (row: GrantRow) => ({
			id: row.id,
			createdAt: iso(row.createdAt),
			expiresAt: iso(row.expiresAt),
		})
		return { data: grants.map(view) }
	}),

	serve(contract.revokeMemberTokens, async ({ deps, caller, params: { communityId, memberId } }) => {
		const revoked = await accessStore(deps.db).endGrants(caller.org.id, communityId, memberId)
		if (revoked === undefined) throw memberNotFoundError()
		deps.defer(closeStreams(deps, communityId, memberId))
		return { data: { memberId, revoked } }
	}),
]
