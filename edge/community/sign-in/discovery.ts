import { z } from 'zod'
import { trimEnd } from '#schema/contract/kit/trim-end.ts'
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { readCached, storeCached } from '../../platform/network/edge-cache.ts'
import { findOutboundUrlProblem } from '../../platform/network/outbound-url.ts'
import { fetchJson, IdentityProviderError } from './limited-fetch.ts'

/** The part of OpenID Connect Discovery 1.0 that a sign-in needs. */
const Discovery = z.object({
	issuer: z.string(),
	authorization_endpoint: z.url().max(2_048),
	token_endpoint: z.url().max(2_048),
	jwks_uri: z.url().max(2_048),
	userinfo_endpoint: z.url().max(2_048).optional(),
	token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
})
export type Discovery = z.infer<typeof Discovery>

const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) })
export type KeySet = z.infer<typeof KeySet>

/** The keys, with the instant at which they were fetched. */
type CachedKeys = { keys: KeySet; fetchedAt: number }

const LIFETIME_MS = HOUR
/** A token with an unknown key makes the keys be fetched again, at most this often. */
const REFETCH_MS = MINUTE

const cacheKey = (kind: 'discovery' | 'keys', url: string) => `oidc-${kind}/${encodeURIComponent(url)}`

export async function readDiscovery(deps: Deps, issuer: string): Promise<Discovery> {
	const key = cacheKey('discovery', issuer)
	const cached = await readCached<Discovery>(key)
	if (cached) return cached
	const { data, error } = Discovery.safeParse(
		await fetchJson(deps, 'discovery document', `${trimEnd(issuer, '/')}/.well-known/openid-configuration`),
	)
	if (!data) {
		const names = [...new Set(error.issues.map(({ path }) => path.join('.')))].join(', ')
		throw new IdentityProviderError(`the discovery document of the provider lacks a valid ${names}`)
	}
	if (data.issuer !== issuer)
		throw new IdentityProviderError(
			'the discovery document has another issuer than the provider; correct the issuer of the provider',
		)
	const problem = findOutboundUrlProblem(deps, data.authorization_endpoint)
	if (problem) throw new IdentityProviderError(`the authorization endpoint of the provider ${problem}`)
	deps.defer(storeCached(key, data, LIFETIME_MS / SECOND))
	return data
}

/** Returns the keys of a provider. `isOutdated` says that they lack a key, as after a rotation. */
export async function readKeys(deps: Deps, url: string, isOutdated = false): Promise<KeySet> {
	const key = cacheKey('keys', url)
	const cached = await readCached<CachedKeys>(key)
	const isFresh = cached && deps.now - cached.fetchedAt < (isOutdated ? REFETCH_MS : LIFETIME_MS)
	if (cached && isFresh) return cached.keys
	const { data } = KeySet.safeParse(await fetchJson(deps, 'key set', url))
	if (!data) throw new IdentityProviderError('the key set of the provider is not valid')
	const entry: CachedKeys = { keys: data, fetchedAt: deps.now }
	await storeCached(key, entry, LIFETIME_MS / SECOND)
	return data
}
