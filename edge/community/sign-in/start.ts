import { AppError } from '../../http/errors.ts'
import { requireNotFullySuspended } from '../../http/guards/suspension.ts'
import type { Deps } from '../../platform/deps.ts'
import { readSelectors } from '../access/authenticate.ts'
import { toChallenge } from '../access/sign-in-codes.ts'
import type { Selectors } from '../access/store.ts'
import { identityProviderNotFoundError } from '../identity-providers/providers.ts'
import { formatRedirectUri, formatSignInUrl } from '../identity-providers/redirect-uri.ts'
import { openBrowserState } from './browser-state.ts'
import { readDiscovery } from './discovery.ts'
import { IdentityProviderError } from './limited-fetch.ts'
import { type SignInProvider, signInStore } from './store.ts'

/** Returns a provider of an organization that is not suspended. `returnTo` must be a page of the community. */
export async function requireSignInProvider(
	{ db }: Deps,
	id: number,
	returnTo: string,
	at: Pick<Selectors, 'host' | 'hostSlug'> = { host: null, hostSlug: null },
): Promise<SignInProvider> {
	const { origin, username, password } = new URL(returnTo)
	const provider = await signInStore(db).findProvider(id, origin, at)
	if (!provider) throw identityProviderNotFoundError()
	requireNotFullySuspended(provider)
	if (!provider.isListed || username !== '' || password !== '')
		throw new AppError(
			'validation',
			'return_to: must be a page of an origin of the community; add the origin to the list first',
		)
	return provider
}

/** Starts a sign-in. Returns the redirect URL and the cookies for the browser. */
export async function startSignIn(
	deps: Deps,
	providerId: number,
	request: Request,
	front: { challenge: string; returnTo: string },
): Promise<{ location: string; cookies: string[] }> {
	const at = readSelectors(request, deps.env, null)
	const provider = await requireSignInProvider(deps, providerId, front.returnTo, at)
	const { issuer, clientId } = provider
	const redirectUri = formatRedirectUri(deps.env, request, providerId)
	// The provider redirects the browser to this host, so this host must set the cookie.
	if (provider.isHost && new URL(redirectUri).host !== new URL(request.url).host)
		return { location: formatStartUrl(deps, request, providerId, front), cookies: [] }
	const discovery = await readDiscovery(deps, issuer).catch((error: unknown) => {
		if (!(error instanceof IdentityProviderError)) throw error
		deps.log.warn('identity provider failed', { providerId, problem: error.message })
		if (error.isTemporary) throw new AppError('unavailable', `${error.message}; try again later`)
		throw new AppError('not_configured', `${error.message}; ask an owner of the community to correct this`)
	})
	const { state, cookies } = await openBrowserState(deps, providerId, request, { ...front, redirectUri })
	const url = new URL(discovery.authorization_endpoint)
	const parameters = {
		response_type: 'code',
		client_id: clientId,
		redirect_uri: redirectUri,
		scope: 'openid profile email',
		state: state.state,
		nonce: state.nonce,
		code_challenge: await toChallenge(state.verifier),
		code_challenge_method: 'S256',
	}
	for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
	return { location: url.href, cookies }
}

function formatStartUrl(
	{ env }: Deps,
	request: Request,
	providerId: number,
	{ challenge, returnTo }: { challenge: string; returnTo: string },
): string {
	const url = new URL(formatSignInUrl(env, request, providerId))
	url.searchParams.set('return_to', returnTo)
	url.searchParams.set('code_challenge', challenge)
	return url.href
}
