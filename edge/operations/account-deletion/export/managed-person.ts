import { findMembership } from '../../../community/members/memberships.ts'
import type { OrgCaller } from '../../../http/caller.ts'
import { AppError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { exportPerson } from './export.ts'

/** Exports a managed member for the organization that vouches for them. Accounts are exported by their owners alone. */
export async function exportManaged(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	memberId: number,
): Promise<ReadableStream<Uint8Array>> {
	const { userId, managed } = await findMembership(deps, caller, communityId, memberId)
	if (!managed) throw new AppError('conflict', 'this member has an account; only they can export it')
	return exportPerson(deps, { userId, email: null })
}
