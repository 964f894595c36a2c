import type { Person } from '../../../http/caller.ts'
import { AppError, notFoundError } from '../../../http/errors.ts'
import { unverifiedAddressError } from '../../../http/verified-address.ts'
import { newId } from '../../../platform/database/ids.ts'
import type { Deps } from '../../../platform/deps.ts'
import { requireSigning } from '../signing.ts'
import { newRecoveryCodes } from './recovery-codes.ts'
import { CONFIRM_MS, secondFactorStore } from './store.ts'
import { buildOtpauthUrl, encodeBase32, newTotpSecret } from './totp.ts'
import { checkTotp } from './totp-check.ts'
import { sealTotpSecret } from './totp-secret.ts'

const ISSUER = 'Playhouse'

export const factorRequiredError = () =>
	new AppError(
		'conflict',
		'this is your last second factor, and an organization of yours or this installation requires one; set up another one first',
	)

/**
 * Creates a pending authenticator secret. Requires a verified address: an unverified account may belong to somebody
 * else, whom a mailed code must admit.
 */
export async function beginTotp(deps: Deps, person: Person) {
	const { now } = deps
	const id = newId('otk', now)
	const secret = newTotpSecret()
	const sealed = await sealTotpSecret(requireSigning(deps).secrets, secret, id)
	const row = { id, userId: person.userId, secret: sealed, createdAt: now }
	if (!(await secondFactorStore(deps.db).replaceWaiting(row))) throw unverifiedAddressError()
	const text = encodeBase32(secret)
	return {
		secret: text,
		otpauthUrl: buildOtpauthUrl(text, ISSUER, person.email),
		expiresAt: now + CONFIRM_MS,
	}
}

/** Confirms the pending secret. Returns recovery codes with the account's first factor, else null. */
export async function confirmTotp(deps: Deps, person: Person, code: string): Promise<string[] | null> {
	const store = secondFactorStore(deps.db)
	const secret = await store.findWaiting(person.userId, deps.now)
	if (!secret)
		throw new AppError(
			'conflict',
			'there is no pending secret; create one with POST /v1/auth/second-factor/totp',
		)
	const right = await checkTotp(deps, { userId: person.userId, knownAs: person.sessionId }, secret, code)
	if (!right) throw new AppError('forbidden', 'the code is wrong; check the clock of the app and try again')
	const { codes, hashes } = await newRecoveryCodes()
	const { isConfirmed, hasNewCodes } = await store.confirm(deps.work, person, right, hashes)
	if (!isConfirmed)
		throw new AppError(
			'conflict',
			'the session has ended, or another request has used or replaced this secret',
		)
	return hasNewCodes ? codes : null
}

export async function removeTotp(deps: Deps, person: Person): Promise<void> {
	const store = secondFactorStore(deps.db)
	if (await store.remove(deps.work, person.userId, deps.env.vars.SUPERADMIN_SECOND_FACTOR)) return
	if (await store.findConfirmed(person.userId)) throw factorRequiredError()
	throw notFoundError('authenticator app')
}

export async function replaceRecoveryCodes(deps: Deps, person: Person): Promise<string[]> {
	const { codes, hashes } = await newRecoveryCodes()
	if (await secondFactorStore(deps.db).replaceCodes(deps.work, person.userId, hashes)) return codes
	throw new AppError('conflict', 'this account has no second factor; set one up first')
}

/** Removes every factor of a user who lost them. Operators must first verify who asks. */
export async function resetSecondFactor(deps: Deps, userId: number): Promise<void> {
	if (!(await secondFactorStore(deps.db).reset(deps.work, userId))) throw notFoundError('second factor')
}
