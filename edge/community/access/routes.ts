import * as contract from '#schema/contract/community/tokens.ts'
import { type Route, serve } from '../../http/route.ts'
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
]
