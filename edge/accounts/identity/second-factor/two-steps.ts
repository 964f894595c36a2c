import type { SignedIn } from '#schema/contract/accounts/identity.ts'
import { AppError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { secondFactorTicket } from '../../../platform/tokens/tokens.ts'
import { findKnownDevice } from '../origins/devices.ts'
import type { Origin } from '../origins/origin.ts'
import { signIn } from '../sign-in.ts'
import { requireSigning } from '../signing.ts'
import { identityStore, type UserRow } from '../store.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import { secondFactorStore } from './store.ts'
import { useTotp } from './totp-check.ts'

type Shown = { ticket: string } & ({ totp: string } | { recoveryCode: string })

/** Completes a sign-in whose first step returned a ticket. */
export async function verifySecondFactor(deps: Deps, shown: Shown, origin: Origin): Promise<SignedIn> {
	const claims = await requireSigning(deps).tokens.read(secondFactorTicket, shown.ticket, deps.now)
	const user = claims && (await identityStore(deps.db).findUser(claims.sub))
	if (!user || user.tokenVersion !== claims.tv)
		throw new AppError('unauthorized', 'the ticket is no longer valid; sign in again')
	if (!(await isRight(deps, user, shown, origin)))
		throw new AppError('unauthorized', 'the code is wrong or was used before; try the next one')
	return signIn(deps, user, origin, claims.by, 'proved')
}

async function isRight(deps: Deps, user: UserRow, shown: Shown, origin: Origin): Promise<boolean> {
	if ('recoveryCode' in shown)
		return secondFactorStore(deps.db).useCode(deps.work, user.id, await hashRecoveryCode(shown.recoveryCode))
	const device = await findKnownDevice(deps, user.email, origin)
	return useTotp(deps, { userId: user.id, knownAs: device?.id ?? null }, shown.totp)
}
