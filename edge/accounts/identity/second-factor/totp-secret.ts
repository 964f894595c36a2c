import { fromBase64url, toBase64url } from '../../../platform/tokens/digest.ts'
import type { LinkKind } from '../../../platform/tokens/link-token.ts'
import type { Secrets } from '../../../platform/tokens/secrets.ts'

/** How the secrets of authenticator apps are sealed: the context is the id of the row. */
export const totpSecretSeal: LinkKind = { purpose: 'totp-secret', mark: '', derivedFrom: (id) => id }

export const sealTotpSecret = (secrets: Secrets, secret: Uint8Array, id: string): Promise<string> =>
	secrets.seal(totpSecretSeal.purpose, toBase64url(secret), id)

/** Throws if the secret was sealed under a value of AUTH_SECRET that is no longer set. */
export async function openTotpSecret(
	secrets: Secrets,
	{ id, secret }: { id: string; secret: string },
): Promise<Uint8Array<ArrayBuffer>> {
	const opened = await secrets.unseal(totpSecretSeal.purpose, secret, id)
	if (opened === null)
		throw new Error(`the TOTP secret ${id} can't be decrypted with AUTH_SECRET; set AUTH_SECRET_PREVIOUS`)
	return fromBase64url(opened)
}
