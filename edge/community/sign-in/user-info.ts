import { z } from 'zod'
import type { Deps } from '../../platform/deps.ts'
import type { Discovery } from './discovery.ts'
import type { Claims } from './id-token.ts'
import { fetchJson, IdentityProviderError } from './limited-fetch.ts'

const UserInfo = z.looseObject({ sub: z.string() })

/**
 * Adds to the claims of an ID token those that only the userinfo endpoint has (OpenID Connect Core 1.0, section 5.3). The
 * ID token takes precedence, because it is signed. An address and its verification come from the same document.
 * The person signs in without them if the endpoint always fails, and is asked to try again if a later try may succeed.
 */
export async function addUserInfo(
	deps: Deps,
	{ userinfo_endpoint: url }: Discovery,
	claims: Claims,
	accessToken: string | undefined,
): Promise<Claims> {
	const hasName = claims.name !== undefined || claims.preferred_username !== undefined
	const hasAddress = claims.email !== undefined
	if ((hasName && hasAddress) || url === undefined || accessToken === undefined) return claims
	const headers = { accept: 'application/json', authorization: `Bearer ${accessToken}` }
	const info = await fetchJson(deps, 'userinfo endpoint', url, { headers }).catch((error: unknown) => {
		if (!(error instanceof IdentityProviderError) || error.isTemporary) throw error
		deps.log.warn('userinfo endpoint failed', { problem: error.message })
		return null
	})
	if (info === null) return claims
	const { data } = UserInfo.safeParse(info)
	if (data?.sub !== claims.sub)
		throw new IdentityProviderError(
			'the userinfo endpoint of the provider returned nothing about this person',
		)
	const { name, preferred_username, email, email_verified } = data
	return {
		...claims,
		...(!hasName && { name, preferred_username }),
		...(!hasAddress && { email, email_verified }),
	}
}
