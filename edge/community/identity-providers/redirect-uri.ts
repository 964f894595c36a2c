import { finishMemberSignIn, startMemberSignIn } from '#schema/contract/community/member/sign-in.ts'
import { apiBase, type Env } from '../../platform/env.ts'
import { buildUrl } from '../../platform/network/header-values.ts'

const formatAddress = (env: Env, request: { url: string }, path: string, providerId: number): string =>
	buildUrl(apiBase(env, request), path.replace('{providerId}', String(providerId)).slice(1).split('/'))

/** Returns the address to which a provider sends browsers back. One per provider, so that none can answer for another. */
export const formatRedirectUri = (env: Env, request: { url: string }, providerId: number): string =>
	formatAddress(env, request, finishMemberSignIn.path, providerId)

/** Returns the address at which a browser starts to sign in. */
export const formatSignInUrl = (env: Env, request: { url: string }, providerId: number): string =>
	formatAddress(env, request, startMemberSignIn.path, providerId)
