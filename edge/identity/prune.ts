import { pruneAttempts } from '../attempts/attempt-counter.ts'
import type { Db } from '../platform/database/database.ts'
import { addressCodeStore } from './addresses/address-code-store.ts'
import { codeStore } from './codes/code-store.ts'
import { originStore } from './origins/origin-store.ts'
import { identityStore } from './store.ts'

/** Prunes sessions, codes, counters and remembered sign-in origins whose time is over. */
export async function pruneIdentity(db: Db, now: number): Promise<void> {
	await identityStore(db).forgetSessions(now)
	await codeStore(db).forget(now)
	await addressCodeStore(db).prune(now)
	await originStore(db).prune(now)
	await pruneAttempts(db, now)
}
