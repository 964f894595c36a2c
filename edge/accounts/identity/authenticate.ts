import type { Authenticators, Person } from '../../http/caller.ts'
import { deriveSuspension } from '../../platform/suspension.ts'
import { sessionToken } from '../../platform/tokens/tokens.ts'
import { authenticateImpersonation } from './impersonation/authenticate.ts'
import { SEEN_STEP_MS, sessionStore } from './session-store.ts'
import { identityStore } from './store.ts'

/**
 * Accepts a session token while its session is active and the account's token version is unchanged, and the token of an
 * open impersonation.
 */
export const authenticateSession: Authenticators['person'] = async (
	deps,
	token,
	orgIdInPath,
): Promise<Person | null> => {
	const claims = await deps.tokens?.read(sessionToken, token, deps.now)
	if (!claims) return authenticateImpersonation(deps, token, orgIdInPath)
	const store = identityStore(deps.db)
	const row = await store.findPerson(claims.sid, claims.sub, orgIdInPath ?? claims.org, deps.now)
	if (!row || row.tokenVersion !== claims.tv || row.sessionExpiresAt <= deps.now) return null
	const seenBefore = deps.now - SEEN_STEP_MS
	if (row.lastSeenAt < seenBefore)
		deps.defer(sessionStore(deps.db).touchSession(claims.sid, deps.now, seenBefore))
	return {
		kind: 'person',
		userId: row.userId,
		email: row.email,
		name: row.name,
		isSuperadmin: row.isSuperadmin,
		hasPassword: row.hasPassword,
		emailVerified: row.emailVerified,
		createdAt: row.createdAt,
		sessionId: claims.sid,
		sessionExpiresAt: row.sessionExpiresAt,
		renewalId: claims.rid,
		provedAt: row.provedAt,
		provedByCode: row.provedByCode,
		hasSecondFactor: row.hasSecondFactor,
		secondFactorAt: row.secondFactorAt,
		orgNeedsSecondFactor: row.orgNeedsSecondFactor,
		keysNeedProof: row.keysNeedProof,
		org:
			row.orgId === null || row.slug === null || row.tier === null
				? null
				: { id: row.orgId, slug: row.slug, tier: row.tier, suspension: deriveSuspension(row) },
		role: row.role,
		impersonation: null,
	}
}
