import type { BackupPlan } from '#schema/tables/operations/backups.ts'
import type { Manifest } from '../format/manifest.ts'
import { signManifest } from '../format/signed-manifest.ts'
import { manifestObjectKey } from '../keys.ts'
import { backupStore } from '../store.ts'
import { readManifest } from '../vault-manifest.ts'
import { type Run, StoppedError } from './run.ts'
import type { Snapshot } from './source-store.ts'

/**
 * Stores the manifest, which makes the backup complete. If an earlier attempt has stored one, that one counts: it was
 * valid when it was stored, and its chunks are still there.
 */
export async function finishBackup(
	run: Run,
	plan: BackupPlan,
	snapshot: Snapshot,
	snapshotAt: number,
): Promise<void> {
	const { deps, store, row } = run
	const chunks = await store.listChunks(row)
	// A backup has at least one chunk, because its own start is in the audit log.
	if (chunks.length === 0) throw new StoppedError()
	const manifest: Manifest = {
		format: 1,
		id: row.id,
		reason: row.reason,
		startedAt: row.startedAt,
		snapshotAt,
		schemaHash: plan.schemaHash,
		schema: snapshot.schema.statements,
		tables: plan.tables.map(({ name, columns }) => ({ name, columns, rows: snapshot.counts[name] ?? 0 })),
		sequences: snapshot.sequences,
		chunks: chunks.map(({ key, sha256, textSha256, sizeBytes }) => ({ key, sha256, textSha256, sizeBytes })),
	}
	const stored = await signManifest(run.secrets, run.dataKey, manifest, deps.env.vars.BACKUP_RECIPIENT)
	const written = await deps.objects.vault.put(manifestObjectKey(row.id), JSON.stringify(stored), {
		onlyIf: 'absent',
		contentType: 'application/json',
	})
	const isCompleted = await store.complete(
		row.id,
		written ? manifest : await readOwnManifest(run),
		deps.clock(),
	)
	if (!isCompleted && written && (await backupStore(deps.db).find(row.id))?.state !== 'completed') {
		// The backup was ended meanwhile, and its chunks are deleted.
		await deps.objects.vault.delete(manifestObjectKey(row.id))
		throw new StoppedError()
	}
	deps.log.info('backup completed', { backupId: row.id, chunks: chunks.length })
}

async function readOwnManifest({ deps, secrets, row }: Run): Promise<Manifest> {
	const found = await readManifest(deps, secrets, row.id)
	if (!found) throw new Error('the manifest of this backup is missing')
	return found.manifest
}
