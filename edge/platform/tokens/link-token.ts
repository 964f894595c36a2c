import { randomBase64url, sha256 } from './digest.ts'
import type { Purpose, Secrets } from './secrets.ts'

/** A kind of link in mails. Several mails may contain the same link, so its token is stored sealed. */
export type LinkKind = {
	purpose: Purpose
	/** The prefix of its tokens. */
	mark: string
	/** Returns the text whose HMAC is the token, for old rows with a nonce instead of a sealed token. */
	derivedFrom(id: string, nonce: string): string
}

/** A stored token: its hash, which finds the row, and the sealed token for the next mail. */
export type StoredLink = { id: string; sealed: string; tokenHash: string }

/** Returns a random token with this prefix, and the hash that finds its row. */
export async function generateLinkToken(mark: string) {
	const token = mark + randomBase64url()
	return { token, tokenHash: await sha256(token) }
}

export async function makeLinkToken(secrets: Secrets, { purpose, mark }: LinkKind) {
	const { token, tokenHash } = await generateLinkToken(mark)
	return { token, tokenHash, sealed: await secrets.seal(purpose, token, tokenHash) }
}

/** Returns the token, or null if it was made under a value of AUTH_SECRET that is no longer set. */
export async function openLinkToken(
	secrets: Secrets,
	{ purpose, mark, derivedFrom }: LinkKind,
	{ id, sealed, tokenHash }: StoredLink,
): Promise<string | null> {
	const token = await secrets.unseal(purpose, sealed, tokenHash)
	if (token !== null) return token
	for (const hmac of await secrets.hmacs(purpose, derivedFrom(id, sealed)))
		if ((await sha256(mark + hmac)) === tokenHash) return mark + hmac
	return null
}

/** Returns the token for a mail, or throws if no accepted AUTH_SECRET can decrypt it. */
export async function requireLinkToken(
	secrets: Secrets,
	kind: LinkKind,
	stored: StoredLink,
): Promise<string> {
	const token = await openLinkToken(secrets, kind, stored)
	if (token === null)
		throw new Error(
			`the ${kind.purpose} of ${stored.id} can't be decrypted with AUTH_SECRET; set AUTH_SECRET_PREVIOUS`,
		)
	return token
}

/** Seals the token under the current key, or returns null if no accepted key opens it. */
export async function resealLinkToken(
	secrets: Secrets,
	kind: LinkKind,
	stored: StoredLink,
): Promise<string | null> {
	const token = await openLinkToken(secrets, kind, stored)
	return token === null ? null : secrets.seal(kind.purpose, token, stored.tokenHash)
}
