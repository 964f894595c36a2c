import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Console } from '../../lib/console/console.ts'
import { StartFailure } from '../../lib/installation/failure.ts'
import type { Settings } from '../../lib/installation/settings.ts'
import { readMigrations } from '../../lib/migrations.ts'
import { hasAccounts, listPending, type Query } from '../../lib/pending-migrations.ts'
import type { Control } from '../../lib/runtime/control.ts'
import { deleteOldCopies, findBackupsDirectory } from './old-copies.ts'

type Variables = Readonly<Record<string, string>>

/**
 * Backs the database up into a file of DATA_DIR/backups, if migrations are pending. The Worker can't do it: it does not
 * serve requests yet, and its version belongs to the tables after the migrations. `known` are the names of all migrations.
 */
export async function backUpIfNeeded(
	control: Pick<Control, 'query' | 'read'>,
	{ dataDir }: Pick<Settings, 'dataDir'>,
	variables: Variables,
	out: Pick<Console, 'log'>,
	known?: readonly string[],
): Promise<void> {
	const directory = findBackupsDirectory(dataDir)
	await deleteDrafts(directory)
	const migrations = known ?? (await readMigrations()).map(({ name }) => name)
	const backUp = async (query: Query, write: (directory: string) => Promise<string>) => {
		const pending = await listPending(query, migrations)
		if (pending.length === 0 || !(await hasAccounts(query))) return
		out.log('info', `Backing the database up, because ${pending.length} migrations are pending …`)
		try {
			out.log('info', `Backup written: ${await write(directory)}`)
		} catch (error) {
			throw new StartFailure(
				`the backup before the migrations failed: ${(error as Error).message}; no migration was applied; fix the problem, or start with --no-backup`,
			)
		}
		await deleteOldCopies(dataDir, variables, Date.now())
	}
	const { LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken, BACKUP_RECIPIENT: recipient } = variables
	const print = (line: string) => out.log('info', line)
	const options = { secret: variables.AUTH_SECRET ?? '', recipient: recipient || undefined, print }
	if (!url)
		return backUp(
			async (sql) => (await control.query({ sql }))[0] ?? [],
			// Imported only when needed, because it takes megabytes of memory.
			async (into) => (await import('./write-backup.ts')).backUpLocalD1(control, into, options),
		)
	const { connect } = await import('../../migrate/main.ts')
	const client = connect({ url, authToken })
	try {
		await backUp(
			async (sql) => (await client.execute(sql)).rows,
			async (into) => (await import('./write-backup.ts')).backUpLibsql(client, into, options),
		)
	} finally {
		client.close()
	}
}

/** Deletes the drafts of a process that was killed. */
async function deleteDrafts(directory: string): Promise<void> {
	const names = await readdir(directory).catch(() => [])
	for (const name of names.filter((each) => each.endsWith('.zip.partial')))
		await rm(join(directory, name), { force: true })
}
