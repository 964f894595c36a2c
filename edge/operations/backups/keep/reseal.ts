import type { Deps } from '../../../platform/deps.ts'
import type { Secrets } from '../../../platform/tokens/secrets.ts'
import { DamagedBackupError } from '../format/chunk.ts'
import { resealManifest } from '../format/signed-manifest.ts'
import { MANIFESTS, manifestObjectKey, parseBackupId } from '../keys.ts'
import { readManifest } from '../vault-manifest.ts'

/**
 * Seals the next manifests again under the current AUTH_SECRET, after that of one backup ('' for the first page). Manifests
 * are few, so each page lists them from the start.
 */
export async function resealBackups(deps: Deps, secrets: Secrets, afterId: string, limit: number) {
	const ids = await listIdsAfter(deps, afterId, limit)
	const done = { resealed: 0, lost: 0 }
	for (const id of ids) {
		const outcome = await resealBackup(deps, secrets, id)
		if (outcome) done[outcome]++
	}
	return { ...done, lastId: ids.length === limit ? ids.at(-1) : undefined }
}

async function listIdsAfter({ objects }: Deps, afterId: string, limit: number): Promise<string[]> {
	const ids: string[] = []
	let cursor: string | null = null
	do {
		const page: Awaited<ReturnType<typeof objects.vault.list>> = await objects.vault.list(MANIFESTS, cursor)
		for (const { key } of page.objects) {
			const id = parseBackupId(key)
			if (id > afterId && ids.length < limit) ids.push(id)
		}
		cursor = page.cursor
	} while (cursor !== null && ids.length < limit)
	return ids
}

async function resealBackup(deps: Deps, secrets: Secrets, id: string): Promise<'resealed' | 'lost' | null> {
	try {
		const found = await readManifest(deps, secrets, id)
		const changed = found && (await resealManifest(secrets, found))
		if (!changed) return null
		// Null if the backup was deleted meanwhile, or another call has sealed it.
		const written = await deps.objects.vault.put(manifestObjectKey(id), JSON.stringify(changed), {
			onlyIf: { etag: found.etag },
			contentType: 'application/json',
		})
		return written && 'resealed'
	} catch (error) {
		if (!(error instanceof DamagedBackupError)) throw error
		deps.log.error("a backup in the vault can't be read", error, { backupId: id })
		return 'lost'
	}
}
