import type { Deps } from '../../../platform/deps.ts'
import { attemptCounter } from '../../attempts/attempt-counter.ts'
import {
	totpByKnownDevice,
	totpByKnownDevicesAndDay,
	totpByUser,
	totpByUserAndDay,
} from '../attempt-rules.ts'
import { requireSigning } from '../signing.ts'
import { secondFactorStore } from './store.ts'
import { findCodeStep } from './totp.ts'
import { openTotpSecret } from './totp-secret.ts'

type Secret = { id: string; secret: string; lastStep: number }

/** Who enters a code: `knownAs` is the id of a known device or an open session of the user, else null. */
export type CodeSender = { userId: number; knownAs: string | null }

/** All unknown senders of a user share one count; each known one has its own, and all of them share one for the day. */
const rulesFor = ({ userId, knownAs }: CodeSender) =>
	knownAs === null
		? {
				recent: { rule: totpByUser, subject: String(userId) },
				daily: { rule: totpByUserAndDay, subject: String(userId) },
			}
		: {
				recent: { rule: totpByKnownDevice, subject: `${userId} ${knownAs}` },
				daily: { rule: totpByKnownDevicesAndDay, subject: String(userId) },
			}

/**
 * Counts an attempt at the codes of a user, and returns the time step of a right code. The caller must then store that
 * step, so that the code works once.
 */
export async function checkTotp(
	deps: Deps,
	sender: CodeSender,
	secret: Secret | undefined,
	code: string,
): Promise<{ id: string; step: number } | null> {
	const { secrets } = requireSigning(deps)
	const counter = attemptCounter(deps.db, secrets, deps.now)
	const { recent, daily } = rulesFor(sender)
	await counter.count([recent, daily])
	if (!secret) return null
	const step = await findCodeStep(await openTotpSecret(secrets, secret), code, deps.now)
	if (step === null || step <= secret.lastStep) return null
	deps.defer(counter.forgive([recent]))
	// Wrong codes of the day stay counted: they may be somebody else’s, who has the password.
	deps.defer(counter.takeBack(daily))
	return { id: secret.id, step }
}

/** Returns true if the code is right and was not used before. */
export async function useTotp(deps: Deps, sender: CodeSender, code: string): Promise<boolean> {
	const store = secondFactorStore(deps.db)
	const right = await checkTotp(deps, sender, await store.findConfirmed(sender.userId), code)
	return right !== null && (await store.useStep(right))
}
