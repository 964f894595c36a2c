import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import { sha256 } from '../platform/digest.ts'
import { type LinkKind, makeLinkToken, requireLinkToken } from '../platform/link-token.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { DeletionRequestRow } from './store.ts'

export const cancellationLinks: LinkKind = {
	purpose: 'deletion-link',
	mark: '',
	derivedFrom: (id, nonce) => `${id}.${nonce}`,
}

function secretsOf({ secrets }: Deps): Secrets {
	if (!secrets) throw new AppError('not_configured', 'signing is not set up: AUTH_SECRET is missing')
	return secrets
}

export const makeCancellationToken = (deps: Deps) => makeLinkToken(secretsOf(deps), cancellationLinks)

/** Sealed at rest, so that each mail can carry it and whoever reads the database cannot make it. */
export async function cancellationToken(
	deps: Deps,
	{
		id,
		tokenNonce,
		cancellationTokenHash,
	}: Pick<DeletionRequestRow, 'id' | 'tokenNonce' | 'cancellationTokenHash'>,
): Promise<string> {
	if (tokenNonce === null || cancellationTokenHash === null) throw new Error('this request has no link')
	const stored = { id, sealed: tokenNonce, tokenHash: cancellationTokenHash }
	return requireLinkToken(secretsOf(deps), cancellationLinks, stored)
}

export const hashToken = (token: string): Promise<string> => sha256(token)
