import { base64url, sha256 } from './digest.ts'
import type { Purpose, Secrets } from './secrets.ts'

/** A kind of link that mails carry, and that several mails may carry in turn. */
export type LinkKind = {
	purpose: Purpose
	/** What its tokens begin with. */
	mark: string
	/** Rows from before tokens were sealed have a nonce; their token is the HMAC of this text. */
	derivedFrom(id: string, nonce: string): string
}

/** At rest: the hash, by which a token is found, and the token itself, sealed, for the next mail. */
export type StoredLink = { id: string; sealed: string; tokenHash: string }

export async function makeLinkToken(secrets: Secrets, { purpose, mark }: LinkKind) {
	const token = mark + base64url(crypto.getRandomValues(new Uint8Array(32)))
	const tokenHash = await sha256(token)
	return { token, tokenHash, sealed: await secrets.seal(purpose, token, tokenHash) }
}

/** null: made under a value of AUTH_SECRET that is not set any more. */
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

/** For a mail that is due now. */
export async function requireLinkToken(
	secrets: Secrets,
	kind: LinkKind,
	stored: StoredLink,
): Promise<string> {
	const token = await openLinkToken(secrets, kind, stored)
	if (token === null)
		throw new Error(
			`no accepted AUTH_SECRET opens the ${kind.purpose} of ${stored.id}; set AUTH_SECRET_PREVIOUS`,
		)
	return token
}

/** Under the current key; null where there is nothing to seal anew, or nothing that could be opened. */
export async function resealLinkToken(
	secrets: Secrets,
	kind: LinkKind,
	stored: StoredLink,
): Promise<string | null> {
	const token = await openLinkToken(secrets, kind, stored)
	return token === null ? null : secrets.seal(kind.purpose, token, stored.tokenHash)
}
