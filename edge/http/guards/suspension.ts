import { listRefusingSuspensions } from '#schema/contract/kit/acting-in-org.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import type { SuspensionRow } from '../../platform/suspension.ts'
import type { Caller } from '../caller.ts'
import { AppError } from '../errors.ts'

/** Throws 403 if the caller's organization is suspended from the operation. */
export function requireAllowedWhileSuspended(op: Operation, caller: Caller | undefined): void {
	const suspension = (caller && 'org' in caller && caller.org?.suspension) || 'none'
	if (suspension === 'none') return
	const refusing = listRefusingSuspensions(op)
	if (refusing === 'none' || (refusing === 'full' && suspension === 'partial')) return
	if (suspension === 'full') throw suspendedError()
	throw new AppError(
		'org_suspended',
		"this organization has an unpaid bill, so it can't start uploads or encodes",
	)
}

/** Throws 403 if another organization than the caller's is fully suspended. */
export function requireNotFullySuspended({ suspendedAt }: Pick<SuspensionRow, 'suspendedAt'>): void {
	if (suspendedAt !== null) throw suspendedError()
}

const suspendedError = () => new AppError('org_suspended', 'this organization is suspended')
