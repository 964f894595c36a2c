import { z } from 'zod'
import { readCookie } from '../../http/headers.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { MINUTE, SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { isEqualText, randomBase64url } from '../../platform/tokens/digest.ts'

/** The cookie that binds a sign-in to the browser that started it. `Lax`, because the provider sends the browser back. */
const NAME = '__Host-member-sign-in'
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

const formatCookie = (value: string, maxAgeMs: number): string =>
	`${NAME}=${value}; Path=/; Max-Age=${maxAgeMs / SECOND}; Secure; HttpOnly; SameSite=Lax`

export const clearStateCookie = (): string => formatCookie('', 0)

/** Returns the secrets of a new sign-in, and a cookie that holds them encrypted. */
export async function openBrowserState(
	deps: Deps,
	providerId: number,
	front: Pick<BrowserState, 'challenge' | 'returnTo' | 'redirectUri'>,
): Promise<{ state: BrowserState; cookie: string }> {
	const state = {
		...front,
		state: randomBase64url(),
		nonce: randomBase64url(),
		verifier: randomBase64url(),
		expiresAt: deps.now + LIFETIME_MS,
	}
	const secrets = requireSecrets(deps, 'sign-in of members')
	const sealed = await secrets.seal(PURPOSE, JSON.stringify(state), String(providerId))
	return { state, cookie: formatCookie(sealed, LIFETIME_MS) }
}

/** Returns the state of the browser that sends a request, if it has started this sign-in with this provider. */
export async function readBrowserState(
	deps: Deps,
	providerId: number,
	request: Request,
	state: string,
): Promise<BrowserState | null> {
	const sealed = readCookie(request.headers, NAME)
	if (!sealed || sealed.length > MAX_LENGTH) return null
	const secrets = requireSecrets(deps, 'sign-in of members')
	const text = await secrets.unseal(PURPOSE, sealed, String(providerId))
	const found = text === null ? null : BrowserState.parse(JSON.parse(text))
	if (!found || found.expiresAt <= deps.now) return null
	return (await isEqualText(found.state, state)) ? found : null
}
