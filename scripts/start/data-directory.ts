import { chmod, mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartFailure } from './failure.ts'

/** Below this the databases could not even be opened: workerd would end with a page of C++. */
const LEAST_FREE_BYTES = 64 * 1024 * 1024

/** Makes DATA_DIR ready for one process; nobody else on this machine may look inside. */
export async function openDataDirectory(path: string): Promise<Disposable> {
	await mkdir(path, { recursive: true, mode: 0o700 })
	if (!(await stat(path)).isDirectory()) throw new StartFailure(`DATA_DIR: ${path} is not a directory`)
	await checkSpace(path)
	// Writing tells more than asking for permissions: root, ACLs and read-only mounts each have their own idea of them.
	const probe = join(path, '.writable')
	await writeFile(probe, Buffer.alloc(64 * 1024), { flush: true })
	await rm(probe)
	await chmod(path, 0o700)
	return lock(path)
}

async function checkSpace(path: string): Promise<void> {
	const { bavail, bsize } = await statfs(path)
	const freeBytes = bavail * bsize
	if (freeBytes >= LEAST_FREE_BYTES) return
	const mebibytes = Math.floor(freeBytes / 1024 / 1024)
	throw new StartFailure(
		`no space left: the disk of DATA_DIR (${path}) has ${mebibytes} MiB free; at least 64 are needed`,
	)
}

/** Two runtimes on the same files would spoil them. SQLite's lock is the system's own and ends with the process that held it. */
function lock(path: string): Disposable {
	const db = new DatabaseSync(join(path, 'lock.sqlite'), { timeout: 0 })
	try {
		db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
	} catch (error) {
		db.close()
		if (!String(error).includes('locked')) throw error
		throw new StartFailure(
			`DATA_DIR: ${path} is in use by a Playhouse that runs already; stop it or set DATA_DIR`,
		)
	}
	return { [Symbol.dispose]: () => db.close() }
}
