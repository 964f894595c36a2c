import * as contract from '#schema/contract/community/member/sign-in.ts'
import { type Route, serve } from '../../http/route.ts'
import { exchangeSignInCode } from '../access/sign-in-codes.ts'
import { clearStateCookie } from './browser-state.ts'
import { finishSignIn } from './finish.ts'
import { startSignIn } from './start.ts'

function redirect(location: string, cookies: readonly string[]): Response {
	const headers = new Headers({ location, 'cache-control': 'no-store' })
	for (const cookie of cookies) headers.append('set-cookie', cookie)
	return new Response(null, { status: 303, headers })
}

export const memberSignInRoutes: Route[] = [
	serve(contract.startMemberSignIn, async ({ deps, params: { providerId }, query, request }) => {
		const { return_to: returnTo, code_challenge: challenge } = query
		const { location, cookies } = await startSignIn(deps, providerId, request, { challenge, returnTo })
		return redirect(location, cookies)
	}),

	serve(contract.finishMemberSignIn, async ({ deps, params: { providerId }, query, request }) =>
		redirect(await finishSignIn(deps, providerId, request, query), [clearStateCookie(query.state)]),
	),

	serve(contract.exchangeSignInCode, async ({ deps, body }) => exchangeSignInCode(deps, body)),
]
