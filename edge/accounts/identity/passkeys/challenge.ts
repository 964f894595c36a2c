import { MINUTE } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { fromBase64url, randomBase64url, toBase64url } from '../../../platform/tokens/digest.ts'
import { requireSigning } from '../signing.ts'

export const CHALLENGE_MS = 5 * MINUTE
const NONCE_BYTES = 16

/** What a challenge is for. The registration of a passkey is bound to its user. */
export type ChallengePurpose = 'sign-in' | `registration ${number}`

const signedText = (purpose: ChallengePurpose, nonce: string, expiresAt: string) =>
	JSON.stringify([purpose, nonce, expiresAt])

/**
 * Returns a challenge that is verified by its signature, so that unused ones need no row. It is base64url, as clients
 * expect.
 */
export async function newChallenge(deps: Deps, purpose: ChallengePurpose): Promise<string> {
	const nonce = randomBase64url(NONCE_BYTES)
	const expiresAt = String(deps.now + CHALLENGE_MS)
	const mac = await requireSigning(deps).secrets.hmac(
		'passkey-challenge',
		signedText(purpose, nonce, expiresAt),
	)
	return toBase64url(new TextEncoder().encode(`${nonce}.${expiresAt}.${mac}`))
}

/** Returns when the challenge expires; null unless it was made for this purpose and has not expired. */
export async function readChallenge(
	deps: Deps,
	purpose: ChallengePurpose,
	challenge: string,
): Promise<number | null> {
	const [nonce = '', expiresAt = '', mac = ''] = textOf(challenge).split('.')
	const text = signedText(purpose, nonce, expiresAt)
	if (!(await requireSigning(deps).secrets.matches('passkey-challenge', text, mac))) return null
	return Number(expiresAt) > deps.now ? Number(expiresAt) : null
}

function textOf(challenge: string): string {
	try {
		return new TextDecoder().decode(fromBase64url(challenge))
	} catch {
		return ''
	}
}
