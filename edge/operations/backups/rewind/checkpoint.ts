import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { checkpointStore, type DatabaseState } from '../../../platform/rewind/checkpoint-store.ts'
import { inspectDatabase, rememberState } from '../../../platform/rewind/guard.ts'
import { type StoredCheckpoint, writeVaultCheckpoint } from '../../../platform/rewind/vault-checkpoint.ts'
import { runRepair } from './repair.ts'
import { writeRevocations } from './revocation-log.ts'
import { rewindStore } from './store.ts'

/**
 * Runs each minute. Copies revocations and a new checkpoint to the vault, so that a database that is restored later is
 * recognized. Repairs a database that was restored.
 */
export async function advanceCheckpoint(deps: Deps): Promise<void> {
	const { state, stored, database } = await inspectDatabase(deps)
	rememberState(deps, state)
	if (state === 'foreign')
		throw new Error(
			`the vault belongs to another installation, or this database is older than its first checkpoint; use another bucket, or set ADOPT_VAULT=${stored?.installationId} to take it over and repair this database as after a restore`,
		)
	if (state === 'current') await (stored ? moveCheckpoint(deps, stored) : writeFirst(deps, database))
	if (await runRepair(deps)) rememberState(deps, (await inspectDatabase(deps)).state)
}

/** Also continues a run that ended between the database and the vault. */
async function writeFirst(deps: Deps, { newest }: DatabaseState): Promise<void> {
	const store = checkpointStore(deps.db)
	const first = { number: 0, nonce: crypto.randomUUID() }
	if (newest === null)
		await batch(deps.db, {
			firstInserted: store.insertFirstStatements(first, { number: 1, nonce: crypto.randomUUID() }, deps.now),
		})
	const { installationId, newest: number, newestNonce: nonce } = await store.findState(null)
	if (installationId === null || number === null || nonce === null) return
	const { sequences, events, logged } = await rewindStore(deps.db).findHighest()
	await writeVaultCheckpoint(
		deps.objects.vault,
		{ installationId, number, nonce, sequences, events, logged },
		null,
	)
}

/**
 * The database may be restored between any two steps here. A restored one lacks the stored checkpoint and gets no new one,
 * and lacks the new one if it is restored later.
 */
async function moveCheckpoint(deps: Deps, stored: StoredCheckpoint): Promise<void> {
	const nonce = crypto.randomUUID()
	const found = await rewindStore(deps.db).insertCheckpoint(stored, nonce, deps.now)
	if (!found) return
	const { number, revocations, sequences, events, logged } = found
	await writeRevocations(deps, number, revocations)
	const { installationId } = stored
	await writeVaultCheckpoint(
		deps.objects.vault,
		{ installationId, number, nonce, sequences, events, logged },
		stored,
	)
}
