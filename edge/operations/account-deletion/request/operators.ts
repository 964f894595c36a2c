import { AppError, notFoundError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { executeNow } from '../ledger/ledger.ts'
import { deletionStore } from '../store.ts'

/** Skips the grace period, for formal requests whose legal deadline of a month could otherwise pass. */
export async function expediteDeletion(deps: Deps, who: { email: string } | { userId: number }) {
	const store = deletionStore(deps.db)
	const user = 'email' in who ? await store.findUserByEmail(who.email) : await store.findUser(who.userId)
	if (!user) throw notFoundError('user')
	const { userId } = user
	if (await store.isLastSuperadmin(userId))
		throw new AppError(
			'conflict',
			"the last superadmin can't be deleted; make someone else a superadmin first",
		)
	const { requestId, created } = await executeNow(deps, userId, {
		deleteContent: false,
		withLink: true,
		because: { by: 'operator' },
	})
	return { requestId, userId, created }
}
