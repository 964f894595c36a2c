import { planMissedEvents } from '../../../../accounts/webhooks/planning/plan.ts'
import { readVaultCheckpoint } from '../../../../platform/rewind/vault-checkpoint.ts'
import type { StepPart } from '../step-part.ts'
import { sequenceStore } from './sequence-store.ts'

/** More than is given out between two checkpoints, also if some could not be copied to the vault. */
const MARGIN = 100_000
/** Used if the vault lost its checkpoint, so that nobody knows how far the sequences were. */
const MARGIN_IF_LOST = 10_000_000

/**
 * Raises the sequences of ids and of public events above all that were given out: programs keep both, events as cursors.
 * The rows of the lost outbox bound the lost events of each organization.
 */
export const raiseSequences: StepPart = async (deps, _repair, cursor) => {
	const store = sequenceStore(deps.db)
	const stored = await readVaultCheckpoint(deps.objects.vault)
	const margin = stored ? MARGIN : MARGIN_IF_LOST
	if (cursor === null) {
		// Endpoints step through gaps slowly, so they get what they lack before there is one.
		await planMissedEvents(deps)
		const changed = await store.raiseIds(stored?.sequences ?? {}, margin)
		return { cursor: '', changed }
	}
	const lost = Math.max(0, (stored?.events ?? 0) - (await store.findNewestEvent()))
	const { changed, lastOrgId } = await store.raiseEvents(cursor, lost + margin)
	return { cursor: lastOrgId, changed }
}
