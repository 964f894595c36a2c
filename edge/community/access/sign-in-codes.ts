import { AppError } from '../../http/errors.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { MINUTE } from '../../platform/clock.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { sha256 } from '../../platform/tokens/digest.ts'
import { accessStore, type GrantMember } from './store.ts'
import { endFamily, generateRefreshToken, PART_LENGTH, readFamily, rotateTokens } from './tokens.ts'

const LIFETIME_MS = MINUTE

/** Returns the PKCE challenge of a verifier (RFC 7636, S256). */
export const toChallenge = (verifier: string): Promise<string> => sha256(verifier)

/** Binds a code to the browser that knows the verifier of the challenge. */
const hashCode = (code: string, challenge: string): Promise<string> => sha256(`${code}.${challenge}`)

/**
 * Returns a code that one exchange turns into tokens, or null if the membership has ended. The code is the first refresh
 * token of a grant. The exchange gives the grant another family. Who finds a used code later can't revoke the grant with it.
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

/** Exchanges a code for tokens. A second use within its minute revokes the grant, because two parties hold the code. */
export async function exchangeSignInCode(deps: Deps, { code, code_verifier: verifier }: Exchange) {
	const family = await deriveFamily(deps, code)
	try {
		return await rotateTokens(deps, code, await hashCode(code, await toChallenge(verifier)), family)
	} catch (error) {
		const isUnknown = error instanceof AppError && error.code === 'unauthorized'
		if (isUnknown) await endFamily(deps, await sha256(family), deps.now - LIFETIME_MS)
		throw error
	}
}

/** Derives the family of the tokens for a code. The key is a secret of this installation, so nobody else can derive it. */
async function deriveFamily(deps: Deps, code: string): Promise<string> {
	const hmac = await requireSecrets(deps, 'sign-in of members').hmac('sign-in-code', readFamily(code))
	return hmac.slice(0, PART_LENGTH)
}
