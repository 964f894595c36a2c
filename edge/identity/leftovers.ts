import type { Db } from '../platform/database.ts'
import { addressCodeStore } from './address-code-store.ts'
import { forgetAttempts } from './attempts.ts'
import { codeStore } from './codes.ts'
import { originStore } from './origin-store.ts'
import { identityStore } from './store.ts'

/** Prunes sessions, codes, counters and remembered sign-in origins whose time is over. */
export async function forgetIdentityLeftovers(db: Db, now: number): Promise<void> {
	await identityStore(db).forgetSessions(now)
	await codeStore(db).forget(now)
	await addressCodeStore(db).prune(now)
	await originStore(db).prune(now)
	await forgetAttempts(db, now)
}
