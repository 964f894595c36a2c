import { executeReplayed, replayErasures } from '../../../account-deletion/ledger/ledger.ts'
import type { StepPart } from '../step-part.ts'

/** Deletes again who was deleted since the backup. A long run that ends is repeated, and skips who is deleted by then. */
export const repeatErasures: StepPart = async (deps, _repair, cursor) => {
	const { requestIds, cursor: next } = await replayErasures(deps, cursor)
	for (const requestId of requestIds) await executeReplayed(deps, requestId)
	return { cursor: next, changed: requestIds.length }
}
