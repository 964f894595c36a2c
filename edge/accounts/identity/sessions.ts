import type { Session } from '#schema/contract/accounts/sessions.ts'
import type { Person } from '../../http/caller.ts'
import { notFoundError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { impersonationStore } from './impersonation/store.ts'
import { sessionStore } from './session-store.ts'
import { viewOpenImpersonation, viewSession } from './view.ts'

/** Returns the sessions of the person and those in which superadmins act as them, newest first. */
export async function listSessions({ db, now }: Deps, { userId, sessionId }: Person): Promise<Session[]> {
	const [own, impersonations] = await Promise.all([
		sessionStore(db).listSessions(userId, now),
		impersonationStore(db).listOpenByUser(userId, now),
	])
	const views = [
		...own.map((session) => viewSession(session, sessionId)),
		...impersonations.map(viewOpenImpersonation),
	]
	// Ids begin with the time.
	return views.sort((a, b) => (a.id < b.id ? 1 : -1))
}

/** Ends a session of the person, or one in which a superadmin acts as them, and closes its streams. */
export async function revokeSession(deps: Deps, { userId }: Person, sessionId: string): Promise<void> {
	const isEnded =
		(await sessionStore(deps.db).endSession(sessionId, userId)) ||
		(await impersonationStore(deps.db).endOwn(deps.work, userId, sessionId))
	if (!isEnded) throw notFoundError('session')
	deps.defer(deps.contributions.communities.closeStreams(deps, userId, sessionId))
}

/** Ends the other sessions of the person, and those in which superadmins act as them. Returns how many that were. */
export async function revokeOtherSessions(deps: Deps, { userId, sessionId }: Person): Promise<number> {
	const sessionIds = await sessionStore(deps.db).endOtherSessions(sessionId, userId)
	const impersonationIds = await impersonationStore(deps.db).endAllByUser(deps.work, userId)
	const ended = [...sessionIds, ...impersonationIds]
	for (const id of ended) deps.defer(deps.contributions.communities.closeStreams(deps, userId, id))
	return ended.length
}

/** Ends the session or impersonation of the request. Succeeds even if another request has just ended it. */
export async function logOut(deps: Deps, { userId, sessionId, impersonation, org }: Person): Promise<void> {
	if (impersonation) {
		if (org) await impersonationStore(deps.db).end(deps.work, org.id, impersonation.id)
		return
	}
	await sessionStore(deps.db).endSession(sessionId, userId)
	deps.defer(deps.contributions.communities.closeStreams(deps, userId, sessionId))
}
