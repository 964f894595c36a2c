import { buildMailLink } from '../../../accounts/mail/link.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { DeletionRequestRow } from '../store.ts'
import { deriveCancellationToken } from './token.ts'

/** Returns a link to a page that changes nothing when opened, because mail scanners open every link. */
export async function buildCancellationLink(
	deps: Deps,
	request: Pick<DeletionRequestRow, 'id' | 'tokenNonce' | 'cancellationTokenHash'>,
): Promise<string> {
	return buildMailLink(deps.env, '/cancel-deletion?token=', await deriveCancellationToken(deps, request))
}
