import type { Client } from '@libsql/client'
import { DAY } from '../../../edge/platform/clock.ts'
import { migrateLibsql } from '../../migrate/main.ts'
import { BackupFile, type Openers } from './backup-file.ts'
import { compareWithBackup } from './compare.ts'
import { loadBackup, requireEmpty } from './load.ts'

export type RestoreOptions = Openers & {
	/** The path of the downloaded zip. */
	path: string
	/** A database without tables. */
	into: Client
	/** For how many days erasures are known; an older backup is refused. Undefined accepts any. */
	ledgerDays?: number | undefined
	print?: (line: string) => void
}

/** Restores a backup into an empty database, compares both, and applies the migrations that the backup lacks. */
export async function restoreBackup({
	path,
	into,
	ledgerDays,
	print = () => {},
	...openers
}: RestoreOptions): Promise<void> {
	await requireEmpty(into)
	const backup = await BackupFile.open(path, openers)
	try {
		const { id, snapshotAt, chunks } = backup.manifest
		const ageDays = Math.floor((Date.now() - snapshotAt) / DAY)
		if (ledgerDays !== undefined && ageDays >= ledgerDays)
			throw new Error(
				`the backup is ${ageDays} days old, but erasures are recorded for ${ledgerDays} days only (ERASURE_LEDGER_DAYS), so erased people would reappear; to restore it anyway, add --any-age`,
			)
		print(`${id}: the state of ${new Date(snapshotAt).toISOString()} (chunks: ${chunks.length})`)
		if (!backup.isOriginChecked)
			print('without AUTH_SECRET, it is unknown whether this backup is of your installation')
		const loaded = await loadBackup(into, backup)
		print(
			`${await compareWithBackup(into, backup.manifest, loaded)} rows restored; they equal those of the backup`,
		)
	} finally {
		await backup.close()
	}
	await migrateLibsql(into, { print })
	// Otherwise a backup less than a minute old might hold the checkpoint of the vault, and would not be repaired.
	await into.execute(
		'delete from checkpoints where number > 0 and number = (select max(number) from checkpoints)',
	)
}
