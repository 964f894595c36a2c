import { isForOrgMembers } from '#schema/contract/kit/acting-in-org.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import type { Env } from '../../platform/env.ts'
import type { Caller, Person } from '../caller.ts'
import { AppError } from '../errors.ts'

/** Whether the person signed in with a second factor that the account still has. */
const usesSecondFactor = ({ hasSecondFactor, secondFactorAt }: Person): boolean =>
	hasSecondFactor && secondFactorAt !== null

/** Whether the person lacks a second factor that the organization of the request requires. */
export const lacksSecondFactor = (person: Person): boolean =>
	person.orgNeedsSecondFactor && person.role !== null && !usesSecondFactor(person)

/** Throws 403 if the organization, or the installation for superadmins, requires a second factor that the person lacks. */
export function requireSecondFactor(op: Operation, caller: Caller | undefined, { vars }: Env): void {
	if (caller?.kind !== 'person') return
	if (isForOrgMembers(op) && lacksSecondFactor(caller))
		throw missingError('this organization requires a second factor')
	if (op.auth === 'superadmin' && vars.SUPERADMIN_SECOND_FACTOR && !usesSecondFactor(caller))
		throw missingError('this installation requires a second factor of superadmins')
}

const missingError = (reason: string) =>
	new AppError(
		'second_factor_missing',
		`${reason}; set up an authenticator app or a passkey for your account, then repeat this request`,
	)
