import type { Backup } from '#schema/contract/operations/installation/backups.ts'
import type { Deps } from '../../platform/deps.ts'
import { backupStore } from './store.ts'
import { viewBackup } from './view.ts'

/** Returns the newest backups, also those that failed. */
export const listNewestBackups = async ({ db }: Pick<Deps, 'db'>, limit: number): Promise<Backup[]> =>
	(await backupStore(db).list(limit, null)).slice(0, limit).map(viewBackup)
