import { z } from 'zod'
import { readCookie, readCookieNames } from '../../http/headers.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { MINUTE, SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { isEqualText, randomBase64url } from '../../platform/tokens/digest.ts'

/**
 * Each sign-in has a cookie that binds it to the browser that started it, so that two tabs don't replace each other's. `Lax`,
 * because the provider sends the browser back.
 */
const PREFIX = '__Host-member-sign-in-'
/** Part of the state, which is Base64url. */
const NAMED_BY = 12
/** A browser sends all of them with each request. */
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

/** Returns cookies that delete all but the newest sign-ins, to make room for one. A browser sends its oldest cookies first. */
function clearOldest(headers: Headers): string[] {
	const names = readCookieNames(headers).filter((name) => name.startsWith(PREFIX))
	return names.slice(0, Math.max(0, names.length - MAX_AT_ONCE + 1)).map((name) => formatCookie(name, '', 0))
}

/** Returns the secrets of a new sign-in, a cookie that holds them encrypted, and those that delete the oldest. */
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
