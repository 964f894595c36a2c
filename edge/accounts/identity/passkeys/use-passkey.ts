import type { PasskeyAssertion } from '#schema/contract/accounts/sign-in/webauthn.ts'
import type { Deps } from '../../../platform/deps.ts'
import { fromBase64url, sha256 } from '../../../platform/tokens/digest.ts'
import { readAuthenticatorData } from './authenticator-data.ts'
import { checkClientData } from './client-data.ts'
import { type PasskeyRow, passkeyStore } from './passkey-store.ts'
import { chooseRelyingParty } from './relying-party.ts'
import { isSignedBy } from './signatures.ts'
import { deriveUserHandle } from './user-handle.ts'

/**
 * Verifies a passkey's assertion (WebAuthn level 3, section 7.2), and records its use. Returns the passkey, or null
 * if anything is invalid.
 */
export async function usePasskey(
	deps: Deps,
	{ id, response }: PasskeyAssertion,
	request: Request,
): Promise<PasskeyRow | null> {
	const party = chooseRelyingParty(deps.env, request)
	const signed = await checkClientData(deps, response.clientDataJSON, 'webauthn.get', 'sign-in', party)
	const bytes = decode(response)
	const data = bytes && readAuthenticatorData(bytes.authenticatorData)
	if (!signed || !bytes || !data?.isUserVerified) return null
	if (data.rpIdHash !== (await sha256(party.id))) return null
	const store = passkeyStore(deps.db)
	const passkey = await store.findByCredential(id)
	if (!passkey || !(await isSignedBy(passkey, bytes.signature, await signedBytes(bytes)))) return null
	if (response.userHandle && response.userHandle !== (await deriveUserHandle(deps, passkey.userId)))
		return null
	if (!(await store.useChallenge(await sha256(signed.challenge), signed.expiresAt))) return null
	const isFresh = await store.recordUse(passkey.id, data.counter, data.isBackedUp, deps.now)
	return isFresh ? passkey : null
}

type Bytes = Record<'clientData' | 'authenticatorData' | 'signature', Uint8Array<ArrayBuffer>>

function decode(response: PasskeyAssertion['response']): Bytes | null {
	try {
		return {
			clientData: fromBase64url(response.clientDataJSON),
			authenticatorData: fromBase64url(response.authenticatorData),
			signature: fromBase64url(response.signature),
		}
	} catch {
		return null
	}
}

async function signedBytes({ authenticatorData, clientData }: Bytes): Promise<Uint8Array<ArrayBuffer>> {
	const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', clientData))
	const signed = new Uint8Array(authenticatorData.length + hash.length)
	signed.set(authenticatorData)
	signed.set(hash, authenticatorData.length)
	return signed
}
