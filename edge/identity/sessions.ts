import { closeStreamsOf } from '../community/notifications/streams-stub.ts'
import type { Person } from '../http/caller.ts'
import { notFoundError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import { impersonationStore } from './impersonation/store.ts'
import { sessionStore } from './session-store.ts'

/** Ends a session of the person and closes its streams. */
export async function revokeSession(deps: Deps, { userId }: Person, sessionId: string): Promise<void> {
	if (!(await sessionStore(deps.db).endSession(sessionId, userId))) throw notFoundError('session')
	deps.defer(closeStreamsOf(deps, userId, sessionId))
}

/** Ends the session or impersonation of the request. Succeeds even if another request has just ended it. */
export async function logOut(deps: Deps, { userId, sessionId, impersonation, org }: Person): Promise<void> {
	if (impersonation) {
		if (org) await impersonationStore(deps.db).end(org.id, impersonation.id, deps.now)
		return
	}
	await sessionStore(deps.db).endSession(sessionId, userId)
	deps.defer(closeStreamsOf(deps, userId, sessionId))
}
