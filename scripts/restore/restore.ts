import type { Client } from '@libsql/client'
import type { Secrets } from '../../edge/platform/tokens/secrets.ts'
import { migrateLibsql } from '../migrate/main.ts'
import { BackupFile } from './backup-file.ts'
import { compareWithBackup } from './compare.ts'
import { loadBackup, requireEmpty } from './load.ts'

export type RestoreOptions = {
	/** The path of the downloaded zip. */
	path: string
	secrets: Secrets
	/** A database without tables. */
	into: Client
	print?: (line: string) => void
}

/** Restores a backup into an empty database, compares both, and applies the migrations that the backup lacks. */
export async function restore({ path, secrets, into, print = () => {} }: RestoreOptions): Promise<void> {
	await requireEmpty(into)
	const backup = await BackupFile.open(path, secrets)
	try {
		const { id, snapshotAt, chunks } = backup.manifest
		print(`${id}: the state of ${new Date(snapshotAt).toISOString()}, in ${chunks.length} chunks`)
		await loadBackup(into, backup)
		print(`${await compareWithBackup(into, backup)} rows restored; they equal those of the backup`)
	} finally {
		await backup.close()
	}
	await migrateLibsql(into, { print })
}
