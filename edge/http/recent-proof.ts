import { MINUTE } from '../platform/clock.ts'
import type { Person } from './caller.ts'
import { AppError } from './errors.ts'

/** For what a stolen session token must not be enough for. */
export const PROOF_MS = 10 * MINUTE

export const hasRecentProof = (person: Pick<Person, 'provedAt'>, now: number): boolean =>
	now - person.provedAt < PROOF_MS

export function requireRecentProof(person: Pick<Person, 'provedAt'>, now: number): void {
	if (hasRecentProof(person, now)) return
	throw new AppError(
		'reauthentication_required',
		'Show your password or a one-time code again, with POST /v1/auth/reauthenticate, then repeat this request.',
	)
}
