import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { z } from 'zod'
import { Email, PersonName } from '#schema/contract/kit/fields.ts'
import type { Deps } from '../../platform/deps.ts'
import { isEqualText } from '../../platform/tokens/digest.ts'
import { type Discovery, readKeys } from './discovery.ts'
import { IdentityProviderError } from './limited-fetch.ts'

/** Asymmetric algorithms only: with an HMAC, whoever knows the public key could sign. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA']
const TOLERANCE_SECONDS = 30
const MAX_AGE_SECONDS = 600

/** OpenID Connect limits `sub` to 255 ASCII characters. */
const Claims = z.object({
	sub: z.string().regex(/^[\x21-\x7e]{1,255}$/),
	nonce: z.string(),
	aud: z.union([z.string(), z.array(z.string())]),
	azp: z.string().optional(),
	name: z.unknown().optional(),
	preferred_username: z.unknown().optional(),
	email: z.unknown().optional(),
	email_verified: z.unknown().optional(),
})

export type Claims = z.infer<typeof Claims>

/** The verified claims about a person. */
export type Identity = { subject: string; name: string; email: string | null }

type Expected = { issuer: string; clientId: string; nonce: string }

/** Verifies an ID token (OpenID Connect Core 1.0, section 3.1.3.7) and returns its claims. */
export async function verifyIdToken(
	deps: Deps,
	discovery: Discovery,
	token: string,
	{ issuer, clientId, nonce }: Expected,
): Promise<Claims> {
	const verify = async (isOutdated: boolean) => {
		const keys = await readKeys(deps, discovery.jwks_uri, isOutdated)
		return jwtVerify(token, createLocalJWKSet(keys as JSONWebKeySet), {
			algorithms: ALGORITHMS,
			issuer,
			audience: clientId,
			requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
			currentDate: new Date(deps.now),
			clockTolerance: TOLERANCE_SECONDS,
			maxTokenAge: MAX_AGE_SECONDS,
		})
	}
	try {
		const { payload } = await verify(false).catch((error: unknown) => {
			if (error instanceof errors.JWKSNoMatchingKey) return verify(true)
			throw error
		})
		const claims = Claims.parse(payload)
		if (!(await isEqualText(claims.nonce, nonce)))
			throw new IdentityProviderError('the ID token belongs to another sign-in')
		const hasOtherParty = Array.isArray(claims.aud) && claims.aud.length > 1 && claims.azp !== clientId
		if (hasOtherParty || (claims.azp !== undefined && claims.azp !== clientId))
			throw new IdentityProviderError('the ID token was made for another client')
		return claims
	} catch (error) {
		if (error instanceof IdentityProviderError) throw error
		throw new IdentityProviderError('the ID token of the provider is not valid')
	}
}

/** An address that the provider has not verified is dropped. A name that can't be shown becomes `Member`. */
export function toIdentity(claims: Claims): Identity {
	const names = [claims.name, claims.preferred_username].map((name) => PersonName.safeParse(name).data)
	const email = claims.email_verified === true ? Email.safeParse(claims.email).data : undefined
	return {
		subject: claims.sub,
		name: names.find((name) => name !== undefined) ?? 'Member',
		email: email ?? null,
	}
}
