import type { Deps } from '../../../platform/deps.ts'
import type { Secrets } from '../../../platform/tokens/secrets.ts'
import { type BackupKeys, sealChunk } from '../format/chunk.ts'
import type { ChunkLines } from '../format/lines.ts'
import { newChunkKey } from '../keys.ts'
import type { BackupRow } from '../store.ts'
import type { runStore } from './run-store.ts'
import type { sourceStore } from './source-store.ts'

/** An attempt at continuing a backup. */
export type Run = {
	deps: Deps
	store: ReturnType<typeof runStore>
	source: ReturnType<typeof sourceStore>
	/** Known only while the backup runs, if it is for a recipient. */
	dataKey: string
	keys: BackupKeys
	secrets: Secrets
	/** The row after the last step. */
	row: BackupRow
	leaseEnd(): number
}

/** Another attempt has begun, or the backup was given up. */
export class StoppedError extends Error {}

/** A migration ran meanwhile, so what was read is of two schemas. */
export class SchemaChangedError extends Error {}

/** Takes over the row that a step returned, or ends the attempt. */
export function advanceRun(run: Run, row: BackupRow | undefined): void {
	if (!row) throw new StoppedError()
	run.row = row
}

/** Stores the lines that were read, if any, and records the progress of the backup. */
export async function storeLines(
	run: Run,
	lines: ChunkLines,
	progress: Pick<BackupRow, 'tableIndex' | 'afterRowid' | 'changesSeq'>,
): Promise<void> {
	const { store, row } = run
	if (lines.isEmpty) return advanceRun(run, await store.move(row, progress, run.leaseEnd()))
	const position = await store.countChunks(row.id)
	const key = newChunkKey(row.id, position)
	const { bytes, ...seal } = await sealChunk(run.keys, { backupId: row.id, position }, lines.toString())
	await run.deps.objects.vault.put(key, bytes)
	advanceRun(run, await store.addChunk(row, { key, ...seal }, position, progress, run.leaseEnd()))
}
