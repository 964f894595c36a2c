import type { StepPart } from '../step-part.ts'
import { accessStore } from './access-store.ts'

/**
 * Ends every session, grant and code: the database can't know which of them were ended after the backup. Everyone signs in
 * again, and machines register again by themselves. Runs after the revocations: an isolate that has not noticed the restore
 * yet may accept a former password until they are repeated.
 */
export const endAccess: StepPart = async ({ db, now }, _repair, cursor) => {
	const store = accessStore(db)
	const machines = cursor === null ? await store.raiseMachineVersions() : 0
	const { ended, lastUserId } = await store.endSome(Number(cursor ?? 0), now)
	const isLast = ended === 0 && lastUserId === null
	return { cursor: isLast ? null : String(lastUserId ?? cursor ?? 0), changed: machines + ended }
}
