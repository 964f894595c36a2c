import { MINUTE } from '../../platform/clock.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { sha256 } from '../../platform/tokens/digest.ts'
import { accessStore, type GrantMember } from './store.ts'
import { generateRefreshToken, readFamily, rotateTokens } from './tokens.ts'

const LIFETIME_MS = MINUTE

/** Returns the PKCE challenge of a verifier (RFC 7636, S256). */
export const toChallenge = (verifier: string): Promise<string> => sha256(verifier)

/** Binds a code to the browser that knows the verifier of the challenge. */
const hashCode = (code: string, challenge: string): Promise<string> => sha256(`${code}.${challenge}`)

/**
 * Returns a code that one exchange turns into tokens, or null if the membership has ended. The code is the first refresh
 * token of a grant, so a second use ends the grant like the reuse of a refresh token.
 */
export async function issueSignInCode(
	{ db, now }: Deps,
	{ membershipId, tokenVersion }: GrantMember,
	challenge: string,
): Promise<string | null> {
	const code = generateRefreshToken()
	const isInserted = await accessStore(db).insertGrant({
		id: newId('mgr', now),
		membershipId,
		refreshHash: await hashCode(code, challenge),
		familyHash: await sha256(readFamily(code)),
		tokenVersion,
		createdAt: now,
		expiresAt: now + LIFETIME_MS,
	})
	return isInserted ? code : null
}

type Exchange = { code: string; code_verifier: string }

export const exchangeSignInCode = async (deps: Deps, { code, code_verifier: verifier }: Exchange) =>
	rotateTokens(deps, code, await hashCode(code, await toChallenge(verifier)))
