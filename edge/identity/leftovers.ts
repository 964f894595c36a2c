import type { Db } from '../platform/database.ts'
import { forgetAttempts } from './attempts.ts'
import { codeStore } from './codes.ts'
import { identityStore } from './store.ts'

/** Sessions, codes and counters whose time is over. */
export async function forgetIdentityLeftovers(db: Db, now: number): Promise<void> {
	await identityStore(db).forgetSessions(now)
	await codeStore(db).forget(now)
	await forgetAttempts(db, now)
}
