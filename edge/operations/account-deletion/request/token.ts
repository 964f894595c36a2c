import { requireSecrets } from '../../../http/require-secrets.ts'
import type { Deps } from '../../../platform/deps.ts'
import { sha256 } from '../../../platform/tokens/digest.ts'
import { type LinkKind, makeLinkToken, requireLinkToken } from '../../../platform/tokens/link-token.ts'
import type { DeletionRequestRow } from '../store.ts'

export const cancellationLinks: LinkKind = {
	purpose: 'deletion-link',
	mark: '',
	derivedFrom: (id, nonce) => `${id}.${nonce}`,
}

export const makeCancellationToken = (deps: Deps) =>
	makeLinkToken(requireSecrets(deps, 'signing'), cancellationLinks)

/** Opens the sealed token for each mail. Read access to the database is not enough to make a link. */
export async function deriveCancellationToken(
	deps: Deps,
	{
		id,
		tokenNonce,
		cancellationTokenHash,
	}: Pick<DeletionRequestRow, 'id' | 'tokenNonce' | 'cancellationTokenHash'>,
): Promise<string> {
	if (tokenNonce === null || cancellationTokenHash === null) throw new Error('this request has no link')
	const stored = { id, sealed: tokenNonce, tokenHash: cancellationTokenHash }
	return requireLinkToken(requireSecrets(deps, 'signing'), cancellationLinks, stored)
}

export const hashToken = (token: string): Promise<string> => sha256(token)
