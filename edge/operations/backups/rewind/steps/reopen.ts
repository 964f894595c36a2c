import { auditStatement } from '../../../../platform/audit/audit.ts'
import { batch } from '../../../../platform/database/batch.ts'
import { checkpointStore } from '../../../../platform/rewind/checkpoint-store.ts'
import { readVaultCheckpoint, writeVaultCheckpoint } from '../../../../platform/rewind/vault-checkpoint.ts'
import type { StepPart } from '../step-part.ts'
import { rewindStore } from '../store.ts'

/** Writes a common checkpoint to database and vault. Until the vault has it, requests are refused. */
export const reopenInstallation: StepPart = async (deps, { id, checkpoint, counts }) => {
	const { db, work, now } = deps
	const { vault } = deps.objects
	const stored = await readVaultCheckpoint(vault)
	const { installationId: ownId, newest, hasCheckpoint } = await checkpointStore(db).findState(stored)
	if (hasCheckpoint) return { cursor: null, changed: 0 }
	const store = rewindStore(db)
	const number = Math.max(stored?.number ?? 0, newest ?? 0) + 1
	const nonce = crypto.randomUUID()
	// A copy of a database that got another vault needs an id of its own, to be told apart from the original.
	const newId = stored?.installationId === ownId ? null : crypto.randomUUID()
	await batch(db, {
		identified: newId === null ? null : store.identifyStatement(newId, now),
		checkpointInserted: store.insertRepairedStatement(number, nonce, now),
		entryWritten: auditStatement(work, {
			action: 'database.repaired',
			orgId: null,
			details: { repair: id, checkpoint, missing: stored?.number ?? null, ...counts },
		}),
	})
	const { sequences, events, logged } = await store.findHighest()
	const installationId = newId ?? stored?.installationId ?? ownId ?? ''
	const written = { installationId, number, nonce, sequences, events, logged }
	if (!(await writeVaultCheckpoint(vault, written, stored)))
		throw new Error('another run has written a checkpoint to the vault')
	return { cursor: null, changed: 1 }
}
