import { link, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { deleteAtEnd } from '../../lib/clean-up.ts'
import { openDataDirectory } from '../../lib/installation/data-directory.ts'
import { quoteForShell } from '../../lib/shell-quoted.ts'

/** Files in which SQLite keeps the newest pages of a database in use, and their index. */
const COMPANIONS = ['-wal', '-shm']
const RESTORING = '.restoring'

export type LocalRestore = {
	dataDir: string
	now: Date
	/** Fills the new database at this URL. */
	fill(url: string): Promise<void>
	print(line: string): void
}

/**
 * Puts a restored database in place of that of `npm start`, which must not run. The former one is kept beside it. If the
 * process dies, either of them is in place.
 */
export async function restoreLocal({ dataDir, now, fill, print }: LocalRestore): Promise<void> {
	const current = await findDatabase(dataDir)
	using _lock = await openDataDirectory(dataDir)
	await deleteUnfinishedRestores(dataDir)
	const fresh = `${current}${RESTORING}`
	using _fresh = deleteAtEnd(fresh, ...['-journal', ...COMPANIONS].map((suffix) => `${fresh}${suffix}`))
	await fill(pathToFileURL(fresh).href)
	mergeLog(fresh)
	const kept = `${current}.replaced-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
	await keep(current, kept)
	await rename(fresh, current)
	print(`The former database is ${kept}`)
	print('It holds the data of everybody, unencrypted. Delete this file once the restored database is good.')
	print('Start the installation: it repairs the restored database, and then serves requests.')
	print('To go back, stop it and run:')
	print(`  rm -f ${COMPANIONS.map((suffix) => quoteForShell(`${current}${suffix}`)).join(' ')}`)
	print(`  mv ${quoteForShell(kept)} ${quoteForShell(current)}`)
}

const folderOf = (dataDir: string): string => join(dataDir, 'storage', 'd1', 'miniflare-D1DatabaseObject')

/** Returns the files of databases that a restore has replaced. */
export async function listFormerDatabases(dataDir: string): Promise<{ path: string; replacedAt: number }[]> {
	const names = await readdir(folderOf(dataDir)).catch(() => [])
	return names.flatMap((name) => {
		const [, ...parts] = /\.replaced-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:-wal|-shm)?$/.exec(name) ?? []
		const [year, month, day, hour, minute, second] = parts
		if (!year) return []
		const replacedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
		return [{ path: join(folderOf(dataDir), name), replacedAt }]
	})
}

/** Deletes the files of a restore that was killed. Callers must hold the lock of DATA_DIR. */
export async function deleteUnfinishedRestores(dataDir: string): Promise<void> {
	const names = await readdir(folderOf(dataDir)).catch(() => [])
	for (const name of names)
		if (name.includes(`.sqlite${RESTORING}`)) await rm(join(folderOf(dataDir), name), { force: true })
}

/** Returns the file in which Miniflare keeps the D1 database. */
export async function findDatabase(dataDir: string): Promise<string> {
	const folder = folderOf(dataDir)
	const names = await readdir(folder).catch(() => [])
	const [name, ...more] = names.filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file))
	if (!name)
		throw new Error(`there is no database in ${dataDir}; run npm start once, or set DATA_DIR to its folder`)
	if (more.length > 0) throw new Error(`${folder} has several databases; move those away that are not used`)
	return join(folder, name)
}

/** Links the database to a second name, so that a database exists under its first name at every moment. */
async function keep(current: string, kept: string): Promise<void> {
	try {
		mergeLog(current)
	} catch {
		// A damaged database can be replaced, too. Its newest pages stay in their own file.
	}
	for (const suffix of COMPANIONS)
		await rename(`${current}${suffix}`, `${kept}${suffix}`).catch(ignoreMissing)
	await link(current, kept)
}

/** Writes the newest pages into the database itself. */
function mergeLog(path: string): void {
	const db = new DatabaseSync(path)
	try {
		db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
	} finally {
		db.close()
	}
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
	if (error.code !== 'ENOENT') throw error
}
