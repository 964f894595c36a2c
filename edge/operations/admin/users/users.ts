import { closeUserStreams } from '../../../community/notifications/notification-streams.ts'
import { AppError, notFoundError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { adminUserStore, type UserRow } from './store.ts'

export async function getUser({ db }: Deps, id: number): Promise<UserRow> {
	const row = await adminUserStore(db).find(id)
	if (!row) throw notFoundError('user')
	return row
}

export async function lockUser(deps: Deps, id: number): Promise<UserRow> {
	const locked = await adminUserStore(deps.db).lock(deps.work, id)
	if (!locked) {
		const user = await getUser(deps, id)
		if (user.isSuperadmin)
			throw new AppError('conflict', "superadmins can't be locked; demote this one first")
		return user
	}
	deps.defer(closeUserStreams(deps, id))
	return locked
}

export async function unlockUser(deps: Deps, id: number): Promise<UserRow> {
	return (await adminUserStore(deps.db).unlock(deps.work, id)) ?? getUser(deps, id)
}

export async function endSessions(deps: Deps, id: number): Promise<number> {
	const ended = await adminUserStore(deps.db).endSessions(deps.work, id)
	if (ended === undefined) throw notFoundError('user')
	deps.defer(closeUserStreams(deps, id))
	return ended
}

export async function promoteUser(deps: Deps, id: number): Promise<UserRow> {
	const promoted = await adminUserStore(deps.db).promote(
		deps.work,
		id,
		deps.env.vars.SUPERADMIN_SECOND_FACTOR,
	)
	if (promoted) return promoted
	const user = await getUser(deps, id)
	if (user.isSuperadmin) return user
	throw new AppError('conflict', promotionObstacle(user))
}

function promotionObstacle(user: UserRow): string {
	if (user.lockedAt !== null) return 'this account is locked; unlock it first'
	if (user.emailVerifiedAt === null)
		return 'the email address of this account is not verified; its owner must verify it first'
	return 'this account has no second factor, which superadmins need here; its owner must set one up first'
}

export async function demoteUser(deps: Deps, id: number): Promise<UserRow> {
	const demoted = await adminUserStore(deps.db).demote(deps.work, id)
	if (demoted) return demoted
	const user = await getUser(deps, id)
	if (user.isSuperadmin)
		throw new AppError('conflict', 'this is the last superadmin; make someone else a superadmin first')
	return user
}
