import { MINUTE } from '../platform/clock.ts'
import type { Person } from './caller.ts'
import { AppError } from './errors.ts'

/** Sensitive operations need a proof this recent, so that a stolen session token is not enough. */
export const PROOF_MS = 10 * MINUTE

export const hasRecentProof = (person: Pick<Person, 'provedAt'>, now: number): boolean =>
	now - person.provedAt < PROOF_MS

export function requireRecentProof(person: Pick<Person, 'provedAt'>, now: number): void {
	if (hasRecentProof(person, now)) return
	throw new AppError(
		'reauthentication_required',
		'Confirm your password or a one-time code with POST /v1/auth/reauthenticate, then repeat this request.',
	)
}
