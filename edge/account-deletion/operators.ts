import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import { executeNow } from './ledger.ts'
import { deletionStore } from './store.ts'

/** For a formal request, whose month may be shorter than grace period and sweep together. */
export async function expediteDeletion(deps: Deps, who: { email: string } | { userId: number }) {
	const store = deletionStore(deps.db)
	const user = 'email' in who ? await store.findUserByEmail(who.email) : await store.findUser(who.userId)
	if (!user) throw new AppError('not_found', 'there is no such person')
	const { userId } = user
	if (await store.isLastSuperadmin(userId))
		throw new AppError('conflict', 'the last superadmin cannot be deleted; make someone else one first')
	const { requestId, created } = await executeNow(deps, userId, {
		deleteContent: false,
		withLink: true,
		because: { by: 'operator' },
	})
	return { requestId, userId, created }
}
