import type { Operation } from '#schema/contract/kit/operation.ts'
import { refusedBySuspension } from '#schema/contract/platform/admin/suspended-operations.ts'
import type { Caller } from '../caller.ts'
import { AppError } from '../errors.ts'

/** Throws 403 if the organization of the caller is suspended and the operation is not open then. */
export function requireOpenOrg(op: Operation, caller: Caller | undefined): void {
	const suspension = (caller && 'org' in caller && caller.org?.suspension) || 'none'
	if (suspension === 'none') return
	const refused = refusedBySuspension(op)
	if (refused === 'none' || (refused === 'full' && suspension === 'partial')) return
	throw new AppError(
		'org_suspended',
		suspension === 'full'
			? 'this organization is suspended'
			: 'this organization has an unpaid bill, so it can’t start uploads or encodes',
	)
}
