import { planMissedEvents } from '../../../../accounts/webhooks/planning/plan.ts'
import { readVaultCheckpoint } from '../../../../platform/rewind/vault-checkpoint.ts'
import type { StepPart } from '../step-part.ts'
import { sequenceStore } from './sequence-store.ts'

/** More numbers than are assigned between two checkpoints, even if some checkpoints did not reach the vault. */
const MARGIN = 100_000
/** Used if the vault lost its checkpoint, so that the former sequences are unknown. */
const MARGIN_IF_LOST = 10_000_000

/**
 * Raises the sequences of ids and public events above all assigned numbers, because clients store ids, and events as
 * cursors. The rows of the lost outbox bound the lost events of each organization.
 */
export const raiseSequences: StepPart = async (deps, _repair, cursor) => {
	const store = sequenceStore(deps.db)
	const stored = await readVaultCheckpoint(deps.objects.vault)
	const margin = stored ? MARGIN : MARGIN_IF_LOST
	if (cursor === null) {
		// Endpoints step through a gap slowly, so their missed events are planned before it exists.
		await planMissedEvents(deps)
		const changed = await store.raiseIds(stored?.sequences ?? {}, margin)
		return { cursor: '', changed }
	}
	const lost = Math.max(0, (stored?.events ?? 0) - (await store.findNewestEvent()))
	const { changed, lastOrgId } = await store.raiseEvents(cursor, lost + margin)
	return { cursor: lastOrgId, changed }
}
