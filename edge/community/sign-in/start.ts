import { AppError } from '../../http/errors.ts'
import { requireNotFullySuspended } from '../../http/guards/suspension.ts'
import type { Deps } from '../../platform/deps.ts'
import { toChallenge } from '../access/sign-in-codes.ts'
import { identityProviderNotFoundError } from '../identity-providers/providers.ts'
import { openBrowserState } from './browser-state.ts'
import { readDiscovery } from './discovery.ts'
import { IdentityProviderError } from './limited-fetch.ts'
import { type SignInProvider, signInStore } from './store.ts'

/** Returns a provider of an organization that is not suspended. `returnTo` must be a page of the community. */
export async function requireSignInProvider(
	{ db }: Deps,
	id: number,
	returnTo: string,
): Promise<SignInProvider> {
	const { origin, username, password } = new URL(returnTo)
	const provider = await signInStore(db).findProvider(id, origin)
	if (!provider) throw identityProviderNotFoundError()
	requireNotFullySuspended(provider)
	if (!provider.isListed || username !== '' || password !== '')
		throw new AppError(
			'validation',
			'return_to: must be a page of an origin of the community; add the origin to the list first',
		)
	return provider
}

/** Starts a sign-in: returns where the browser goes, and the cookie that it keeps meanwhile. */
export async function startSignIn(
	deps: Deps,
	providerId: number,
	front: { challenge: string; returnTo: string; redirectUri: string },
): Promise<{ location: string; cookie: string }> {
	const { issuer, clientId } = await requireSignInProvider(deps, providerId, front.returnTo)
	const discovery = await readDiscovery(deps, issuer).catch((error: unknown) => {
		if (!(error instanceof IdentityProviderError)) throw error
		deps.log.warn('identity provider failed', { providerId, problem: error.message })
		throw new AppError('unavailable', `${error.message}; try again later`)
	})
	const { state, cookie } = await openBrowserState(deps, providerId, front)
	const url = new URL(discovery.authorization_endpoint)
	const parameters = {
		response_type: 'code',
		client_id: clientId,
		redirect_uri: front.redirectUri,
		scope: 'openid profile email',
		state: state.state,
		nonce: state.nonce,
		code_challenge: await toChallenge(state.verifier),
		code_challenge_method: 'S256',
	}
	for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
	return { location: url.href, cookie }
}
