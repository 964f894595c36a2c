import { createMemberToken } from '#schema/contract/community/member/tokens.ts'
import { type Route, serve } from '../../http/route.ts'
import { exchangeToken } from '../access/tokens.ts'
import { addUnknownMember } from './first-token.ts'

export const exchangeRoutes: Route[] = [
	serve(createMemberToken, async ({ deps, caller, body: { create, ...identifier } }) => {
		if (create) await addUnknownMember(deps, caller, identifier, create)
		return exchangeToken(deps, caller, identifier)
	}),
]
