import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseIdTime } from '../../../edge/platform/database/ids.ts'
import { Variables as WorkerVariables } from '../../../edge/platform/env.ts'
import { deleteUnfinishedRestores, listFormerDatabases } from '../../operate/restore/local.ts'

type Variables = Readonly<Record<string, string>>

const KEPT_BACKUPS = 5
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export const findBackupsDirectory = (dataDir: string): string => join(dataDir, 'backups')

/** Returns the paths of backups before migrations, newest first. */
export async function listBackups(dataDir: string): Promise<string[]> {
	const names = await readdir(findBackupsDirectory(dataDir)).catch(() => [])
	const backups = names.filter((name) => /^playhouse-bkp_[0-9a-z]{26}\.zip$/.test(name))
	return backups
		.toSorted()
		.reverse()
		.map((name) => join(findBackupsDirectory(dataDir), name))
}

/** Deletes old copies now, and each hour until it is disposed of. */
export async function keepDeletingOldCopies(
	dataDir: string,
	variables: Variables,
	onError: (error: Error) => void,
): Promise<Disposable> {
	const deleteNow = () => deleteOldCopies(dataDir, variables, Date.now()).catch(onError)
	await deleteNow()
	const timer = setInterval(deleteNow, HOUR_MS)
	return { [Symbol.dispose]: () => clearInterval(timer) }
}

/**
 * Deletes all but the newest backups before migrations, and every copy of the database that is as old as the installation
 * keeps backups: these, and databases that `npm run operate -- restore` has replaced. Whoever calls this must have locked DATA_DIR, so
 * no restore is going on, and what one has left is of no use.
 */
export async function deleteOldCopies(dataDir: string, variables: Variables, now: number): Promise<void> {
	await deleteUnfinishedRestores(dataDir)
	const oldest = now - keptMs(variables)
	for (const [at, path] of (await listBackups(dataDir)).entries())
		if (at >= KEPT_BACKUPS || timeOfBackup(path) <= oldest) await rm(path, { force: true })
	for (const { path, replacedAt } of await listFormerDatabases(dataDir))
		if (replacedAt <= oldest) await rm(path, { force: true })
}

/** A day less than the variable says: a machine may be off or asleep when a copy gets too old. */
const keptMs = ({ BACKUP_KEEP_DAYS, ERASURE_LEDGER_DAYS }: Variables): number => {
	const { shape } = WorkerVariables
	const days =
		shape.BACKUP_KEEP_DAYS.parse(BACKUP_KEEP_DAYS) ?? shape.ERASURE_LEDGER_DAYS.parse(ERASURE_LEDGER_DAYS)
	return (days - 1) * DAY_MS
}

/** A file may have been copied, so its own time says little. */
const timeOfBackup = (path: string): number => parseIdTime(path.slice(path.lastIndexOf('bkp_')))
