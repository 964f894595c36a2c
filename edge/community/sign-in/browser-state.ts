import { z } from 'zod'
import { readCookie, readCookieNames } from '../../http/headers.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { MINUTE, SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { isEqualText, randomBase64url } from '../../platform/tokens/digest.ts'

/**
 * Each sign-in has its own cookie, which binds it to the browser, so that two tabs don't overwrite each other's. The
 * cookie is `Lax` because the provider redirects the browser back from another site.
 */
const PREFIX = '__Host-member-sign-in-'
/** The length of the prefix of the state that names the cookie. */
const NAMED_BY = 12
/** The limit of concurrent sign-ins: a browser sends all their cookies with each request. */
const MAX_AT_ONCE = 5
const LIFETIME_MS = 10 * MINUTE
const PURPOSE = 'member-sign-in'
/** Longer cookies are not ours. */
const MAX_LENGTH = 6_000

const BrowserState = z.object({
	state: z.string(),
	nonce: z.string(),
	/** The PKCE verifier between this installation and the provider. */
	verifier: z.string(),
	/** The PKCE challenge between the front end and this installation. */
	challenge: z.string(),
	returnTo: z.string(),
	redirectUri: z.string(),
	expiresAt: z.number(),
})
export type BrowserState = z.infer<typeof BrowserState>

const nameCookie = (state: string): string => PREFIX + state.slice(0, NAMED_BY)

const formatCookie = (name: string, value: string, maxAgeMs: number): string =>
	`${name}=${value}; Path=/; Max-Age=${maxAgeMs / SECOND}; Secure; HttpOnly; SameSite=Lax`

export const clearStateCookie = (state: string): string => formatCookie(nameCookie(state), '', 0)

/** Returns cookies that delete the oldest sign-ins, to make room for one. Browsers send their oldest cookies first. */
function clearOldest(headers: Headers): string[] {
	const names = readCookieNames(headers).filter((name) => name.startsWith(PREFIX))
	return names.slice(0, Math.max(0, names.length - MAX_AT_ONCE + 1)).map((name) => formatCookie(name, '', 0))
}

/** Returns the secrets of a new sign-in, a cookie with them encrypted, and cookies that delete the oldest sign-ins. */
export async function openBrowserState(
	deps: Deps,
	providerId: number,
	request: Request,
	front: Pick<BrowserState, 'challenge' | 'returnTo' | 'redirectUri'>,
): Promise<{ state: BrowserState; cookies: string[] }> {
	const state = {
		...front,
		state: randomBase64url(),
		nonce: randomBase64url(),
		verifier: randomBase64url(),
		expiresAt: deps.now + LIFETIME_MS,
	}
	const secrets = requireSecrets(deps, 'sign-in of members')
	const sealed = await secrets.seal(PURPOSE, JSON.stringify(state), String(providerId))
	const cookie = formatCookie(nameCookie(state.state), sealed, LIFETIME_MS)
	return { state, cookies: [...clearOldest(request.headers), cookie] }
}

/** Returns the state of the browser that sends a request, if it has started this sign-in with this provider. */
export async function readBrowserState(
	deps: Deps,
	providerId: number,
	request: Request,
	state: string,
): Promise<BrowserState | null> {
	const sealed = readCookie(request.headers, nameCookie(state))
	if (!sealed || sealed.length > MAX_LENGTH) return null
	const secrets = requireSecrets(deps, 'sign-in of members')
	const text = await secrets.unseal(PURPOSE, sealed, String(providerId))
	const found = text === null ? null : BrowserState.parse(JSON.parse(text))
	if (!found || found.expiresAt <= deps.now) return null
	return (await isEqualText(found.state, state)) ? found : null
}
