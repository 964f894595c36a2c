import type { Db } from '../../platform/database/database.ts'
import { pruneAttempts } from '../attempts/attempt-counter.ts'
import { addressCodeStore } from './addresses/address-code-store.ts'
import { codeStore } from './codes/code-store.ts'
import { impersonationStore } from './impersonation/store.ts'
import { originStore } from './origins/origin-store.ts'
import { passkeyStore } from './passkeys/passkey-store.ts'
import { secondFactorStore } from './second-factor/store.ts'
import { sessionStore } from './session-store.ts'

/** Deletes expired sessions, codes, attempt counters, sign-in origins and challenges, and old records of impersonations. */
export async function pruneIdentity(db: Db, now: number): Promise<void> {
	await sessionStore(db).pruneSessions(now)
	await codeStore(db).prune(now)
	await addressCodeStore(db).prune(now)
	await impersonationStore(db).prune(now)
	await originStore(db).prune(now)
	await secondFactorStore(db).prune(now)
	await passkeyStore(db).pruneChallenges(now)
	await pruneAttempts(db, now)
}
