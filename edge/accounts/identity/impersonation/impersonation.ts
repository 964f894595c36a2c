import type { Person } from '../../../http/caller.ts'
import { AppError, notFoundError } from '../../../http/errors.ts'
import { requireTokens } from '../../../http/require-secrets.ts'
import { MINUTE } from '../../../platform/clock.ts'
import { newId } from '../../../platform/database/ids.ts'
import type { Deps } from '../../../platform/deps.ts'
import { impersonationToken } from '../../../platform/tokens/tokens.ts'
import { impersonationStore } from './store.ts'

type Wanted = {
	userId: number
	orgId: string
	reason: string
	caseNumber: string | null
	write: boolean
	minutes: number
}

/**
 * Starts an impersonation, in which a superadmin acts as a member. It can't be renewed and can't start another one.
 */
export async function impersonate(deps: Deps, superadmin: Person, wanted: Wanted) {
	const { work, now } = deps
	const tokens = requireTokens(deps, 'impersonation')
	const { userId, orgId, reason, caseNumber, write, minutes } = wanted
	const row = {
		id: newId('ses', now),
		impersonatorId: superadmin.userId,
		sessionId: superadmin.sessionId,
		userId,
		orgId,
		reason,
		caseNumber,
		mayWrite: write,
		createdAt: now,
		expiresAt: now + minutes * MINUTE,
		endedAt: null,
	}
	if (!(await impersonationStore(deps.db).start(work, row))) throw await refusalOf(deps, superadmin, wanted)
	deps.log.warn('impersonation started', { impersonationId: row.id, orgId, write })
	const claims = {
		typ: 'impersonation',
		sub: String(userId),
		sid: row.id,
		org: orgId,
		act: { sub: String(superadmin.userId) },
	}
	const token = await tokens.sign(impersonationToken, claims, now, row.expiresAt)
	return { token, row, impersonatorEmail: superadmin.email }
}

async function refusalOf({ db }: Deps, superadmin: Person, { userId, orgId }: Wanted): Promise<AppError> {
	if (userId === superadmin.userId) return new AppError('forbidden', "you can't impersonate yourself")
	const target = await impersonationStore(db).findTarget(userId, orgId)
	if (!target) return notFoundError('member of this organization')
	if (target.isSuperadmin === 1) return new AppError('forbidden', "superadmins can't be impersonated")
	if (target.isLocked === 1) return new AppError('forbidden', "locked accounts can't be impersonated")
	if (target.supportAccess === 0)
		return new AppError('forbidden', 'this organization does not allow support access')
	return new AppError('forbidden', 'the session has ended, or you are no longer a superadmin')
}

export async function setSupportAccess(deps: Deps, orgId: string, allowed: boolean): Promise<void> {
	if (!(await impersonationStore(deps.db).setSupportAccess(deps.work, orgId, allowed)))
		throw notFoundError('organization')
}
