import * as contract from '#schema/contract/community/member/sign-in.ts'
import { type Route, serve } from '../../http/route.ts'
import { exchangeSignInCode } from '../access/sign-in-codes.ts'
import { formatRedirectUri } from '../identity-providers/redirect-uri.ts'
import { clearStateCookie } from './browser-state.ts'
import { finishSignIn } from './finish.ts'
import { startSignIn } from './start.ts'

const redirect = (location: string, cookie: string): Response =>
	new Response(null, {
		status: 303,
		headers: { location, 'set-cookie': cookie, 'cache-control': 'no-store' },
	})

export const memberSignInRoutes: Route[] = [
	serve(contract.startMemberSignIn, async ({ deps, params: { providerId }, query, request }) => {
		const { return_to: returnTo, code_challenge: challenge } = query
		const redirectUri = formatRedirectUri(deps.env, request, providerId)
		const { location, cookie } = await startSignIn(deps, providerId, { challenge, returnTo, redirectUri })
		return redirect(location, cookie)
	}),

	serve(contract.finishMemberSignIn, async ({ deps, params: { providerId }, query, request }) =>
		redirect(await finishSignIn(deps, providerId, request, query), clearStateCookie()),
	),

	serve(contract.exchangeSignInCode, async ({ deps, body }) => exchangeSignInCode(deps, body)),
]
