import type { Person } from '../../../http/caller.ts'
import type { Deps } from '../../../platform/deps.ts'
import { deriveSuspension } from '../../../platform/suspension.ts'
import { impersonationToken } from '../../../platform/tokens/tokens.ts'
import { SEEN_STEP_MS } from '../session-store.ts'
import { impersonationStore } from './store.ts'

/**
 * Accepts the token of an impersonation while it is open, its superadmin and member still are, and the organization
 * allows support access. The caller is the member, without their proof of identity.
 */
export async function authenticateImpersonation(
	deps: Deps,
	token: string,
	orgIdInPath: string | undefined,
): Promise<Person | null> {
	const claims = await deps.tokens?.read(impersonationToken, token, deps.now)
	if (!claims) return null
	const row = await impersonationStore(deps.db).findPerson(claims.sid, orgIdInPath, deps.now)
	if (!row) return null
	const { user, org, impersonation, role } = row
	const { id, impersonatorId, mayWrite, reason, expiresAt } = impersonation
	if (user.id !== claims.sub || org.id !== claims.org || impersonatorId !== claims.act.sub) return null
	const seenBefore = deps.now - SEEN_STEP_MS
	if ((impersonation.lastSeenAt ?? impersonation.createdAt) < seenBefore)
		deps.defer(impersonationStore(deps.db).touch(id, deps.now, seenBefore))
	// Set here, so that error responses include it.
	deps.impersonation = { may: mayWrite ? 'write' : 'read', expiresAt }
	return {
		kind: 'person',
		userId: user.id,
		email: user.email,
		name: user.name,
		isSuperadmin: false,
		hasPassword: user.passwordHash !== null,
		emailVerified: user.emailVerifiedAt !== null,
		createdAt: user.createdAt,
		sessionId: id,
		sessionExpiresAt: expiresAt,
		renewalId: '',
		provedAt: 0,
		provedByCode: false,
		hasSecondFactor: user.secondFactorAt !== null,
		secondFactorAt: null,
		// The superadmin must meet the organization's second-factor rule.
		orgNeedsSecondFactor: org.requiresSecondFactor && row.impersonatorHasSecondFactor === 0,
		keysNeedProof: org.keysNeedProof,
		org: { id: org.id, slug: org.slug, tier: org.tier, suspension: deriveSuspension(org) },
		role,
		impersonation: {
			id,
			by: { userId: impersonatorId, email: row.impersonatorEmail },
			mayWrite,
			reason,
			expiresAt,
		},
	}
}
