import type { EraseManaged } from '#schema/contract/messages.ts'
import { users } from '#schema/tables/accounts/identity.ts'
import { findMarkedForErasure } from '../../../accounts/managed/managed-people.ts'
import type { Deps } from '../../../platform/deps.ts'
import { sweepRows } from '../../../platform/work/sweep.ts'
import { executeNow } from '../ledger/ledger.ts'

/** Finds managed people whose membership was removed, alone or with its community. */
export const managedSweep = sweepRows({ at: users.eraseAt }, { userId: users.id }, ({ userId }) => ({
	type: 'deletion.erase_managed',
	userId,
}))

/** Erases a managed person as an account is deleted: with a ledger entry, but without a grace period and mails. */
export async function eraseManaged(deps: Deps, { userId }: EraseManaged): Promise<void> {
	const marked = await findMarkedForErasure(deps.db, userId)
	if (marked) await executeNow(deps, userId, { ...marked, withLink: false, because: { by: 'organization' } })
}
