import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import { sha256 } from '../platform/digest.ts'

/** Derived, not stored, so that each mail can carry it and whoever reads the database cannot make it. */
export async function cancellationToken(deps: Deps, id: string, nonce: string): Promise<string> {
	if (!deps.secrets) throw new AppError('not_configured', 'signing is not set up: AUTH_SECRET is missing')
	return deps.secrets.hmac('deletion-link', `${id}.${nonce}`)
}

export const hashToken = (token: string): Promise<string> => sha256(token)
