import { attemptCounter } from '../../attempts/attempt-counter.ts'
import type { Deps } from '../../platform/deps.ts'
import { totpByUser, totpByUserAndDay } from '../attempt-rules.ts'
import { signingOf } from '../signing.ts'
import { secondFactorStore } from './store.ts'
import { stepOf } from './totp.ts'
import { openTotpSecret } from './totp-secret.ts'

type Secret = { id: string; secret: string; lastStep: number }

/**
 * Counts an attempt at the codes of a user, and returns the time step of a right code. The caller must then store that
 * step, so that the code works once.
 */
export async function checkTotp(
	deps: Deps,
	userId: number,
	secret: Secret | undefined,
	code: string,
): Promise<{ id: string; step: number } | null> {
	const { secrets } = signingOf(deps)
	const counter = attemptCounter(deps.db, secrets, deps.now)
	const recent = { rule: totpByUser, subject: String(userId) }
	const daily = { rule: totpByUserAndDay, subject: String(userId) }
	await counter.count([recent, daily])
	if (!secret) return null
	const step = await stepOf(await openTotpSecret(secrets, secret), code, deps.now)
	if (step === null || step <= secret.lastStep) return null
	deps.defer(counter.forgive([recent]))
	// Wrong codes of the day stay counted: they may be somebody else’s, who has the password.
	deps.defer(counter.takeBack(daily))
	return { id: secret.id, step }
}

/** Returns true if the code is right and was not used before. */
export async function useTotp(deps: Deps, userId: number, code: string): Promise<boolean> {
	const store = secondFactorStore(deps.db)
	const right = await checkTotp(deps, userId, await store.findConfirmed(userId), code)
	return right !== null && (await store.useStep(right))
}
