import { MINUTE } from '../platform/clock.ts'
import type { Person } from './caller.ts'
import { AppError } from './errors.ts'

/** How recent a proof sensitive operations need, so that a stolen session token is not enough. */
export const PROOF_MS = 10 * MINUTE

type Proofs = Pick<Person, 'provedAt' | 'hasSecondFactor' | 'secondFactorAt'>

/** Returns when the proof of a session expires. With a second factor, the earlier of the two counts. */
export const computeProofEnd = ({ provedAt, hasSecondFactor, secondFactorAt }: Proofs): number =>
	PROOF_MS + (hasSecondFactor ? Math.min(provedAt, secondFactorAt ?? 0) : provedAt)

export const hasRecentProof = (person: Proofs, now: number): boolean => now < computeProofEnd(person)

export function requireRecentProof(person: Proofs, now: number): void {
	if (!hasRecentProof(person, now)) throw reauthenticationRequiredError(person)
}

/** Throws if the account has a second factor that was not proved recently. */
export function requireRecentSecondFactor(person: Proofs, now: number): void {
	if (person.hasSecondFactor && now >= (person.secondFactorAt ?? 0) + PROOF_MS)
		throw reauthenticationRequiredError(person)
}

const reauthenticationRequiredError = ({ hasSecondFactor }: Proofs) =>
	new AppError(
		'reauthentication_required',
		`confirm your ${hasSecondFactor ? 'second factor' : 'password or a one-time code'} with POST /v1/auth/reauthenticate, then repeat this request`,
	)
