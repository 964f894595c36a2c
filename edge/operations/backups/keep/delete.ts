import { notFoundError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { MANIFESTS, manifestObjectKey, parseBackupId } from '../keys.ts'
import { failBackup } from '../run/continue.ts'
import { backupStore } from '../store.ts'
import { readManifest } from '../vault-manifest.ts'
import { listExpiredBackups, listOutlivedBackups } from './retention.ts'

/**
 * Deletes a backup. A running one is ended first. The manifest is deleted before the chunks, so that `adoptBackups` never finds
 * a manifest whose chunks are gone.
 */
export async function deleteBackup(deps: Deps, id: string): Promise<void> {
	const store = backupStore(deps.db)
	const row = await store.find(id)
	if (!row) throw notFoundError('backup')
	if (row.state === 'running') await failBackup(deps, row, 'it was deleted while it ran')
	await deps.objects.vault.delete(manifestObjectKey(id))
	if (!(await store.delete(deps.work, id, 'requested'))) throw notFoundError('backup')
}

/** Deletes the backups that are no longer kept. */
export async function deleteExpiredBackups(deps: Deps): Promise<void> {
	const { db, work, now, env, objects } = deps
	const store = backupStore(db)
	await adoptBackups(deps)
	const { BACKUPS_ENABLED, BACKUP_KEEP_DAYS, ERASURE_LEDGER_DAYS } = env.vars
	const completed = await store.listCompleted()
	const expired = BACKUPS_ENABLED
		? listExpiredBackups(completed, now, BACKUP_KEEP_DAYS ?? ERASURE_LEDGER_DAYS)
		: listOutlivedBackups(completed, now, ERASURE_LEDGER_DAYS)
	for (const id of expired) {
		await objects.vault.delete(manifestObjectKey(id))
		await store.delete(work, id, 'expired')
	}
	await store.pruneFailed(now)
}

/** Lists the backups in the vault that the database does not know, because it was restored from an earlier one. */
export async function adoptBackups(deps: Deps): Promise<void> {
	const { db, objects, secrets, log } = deps
	if (!secrets) return
	const store = backupStore(db)
	for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
		const page = await objects.vault.list(MANIFESTS, cursor)
		for (const { key } of page.objects) {
			const id = parseBackupId(key)
			if (await store.find(id)) continue
			try {
				const found = await readManifest(deps, secrets, id)
				if (found) await store.adopt(found.manifest)
			} catch (error) {
				log.error("a backup in the vault can't be read", error, { key })
			}
		}
		cursor = page.cursor
	}
}
