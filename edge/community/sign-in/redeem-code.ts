import { z } from 'zod'
import type { Deps } from '../../platform/deps.ts'
import { openClientSecret } from '../identity-providers/secret.ts'
import type { BrowserState } from './browser-state.ts'
import type { Discovery } from './discovery.ts'
import { fetchJson, IdentityProviderError } from './limited-fetch.ts'
import type { SignInProvider } from './store.ts'

const TokenResponse = z.object({
	id_token: z.string().max(20_000),
	/** The credential for the userinfo endpoint. */
	access_token: z
		.string()
		.max(20_000)
		.regex(/^[\x21-\x7e]+$/)
		.optional()
		.catch(undefined),
})

/** Exchanges the code of a provider for an ID token and an access token. */
export async function redeemCode(
	deps: Deps,
	provider: SignInProvider,
	discovery: Discovery,
	code: string,
	{ verifier, redirectUri }: BrowserState,
): Promise<z.infer<typeof TokenResponse>> {
	const secret = await openClientSecret(deps, provider)
	if (secret === null) throw new IdentityProviderError("the client secret can't be decrypted; enter it again")
	const { clientId } = provider
	const body = new URLSearchParams({
		grant_type: 'authorization_code',
		code,
		redirect_uri: redirectUri,
		code_verifier: verifier,
	})
	const headers = new Headers({ accept: 'application/json' })
	// Basic is the default (OpenID Connect Discovery 1.0, section 3).
	const methods = discovery.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
	if (methods.includes('client_secret_basic'))
		headers.set('authorization', `Basic ${btoa(`${encodeForm(clientId)}:${encodeForm(secret)}`)}`)
	else
		for (const [name, value] of [
			['client_id', clientId],
			['client_secret', secret],
		] as const)
			body.set(name, value)
	const answer = TokenResponse.safeParse(
		await fetchJson(deps, 'token endpoint', discovery.token_endpoint, { method: 'POST', headers, body }),
	)
	if (!answer.success)
		throw new IdentityProviderError('the token endpoint of the provider returned no ID token')
	return answer.data
}

/** Encodes as a form does (RFC 6749, section 2.3.1), so that the result is ASCII. */
const encodeForm = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
