import { chmod, mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartFailure } from './failure.ts'

/** With less free space SQLite can't open the databases, and workerd ends with a C++ stack. */
const MIN_FREE_BYTES = 64 * 1024 * 1024

/** Creates and locks DATA_DIR for one process, readable by its owner only. */
export async function openDataDirectory(path: string): Promise<Disposable> {
	await createDirectory(path)
	await checkSpace(path)
	// A test write is more reliable than a permission check: root, ACLs and read-only mounts each behave differently.
	const probe = join(path, '.writable')
	await writeFile(probe, Buffer.alloc(64 * 1024), { flush: true })
	await rm(probe)
	await chmod(path, 0o700)
	return lock(path)
}

/** Unlike the recursive option of `mkdir`, this fails where a file system can't hold folders, instead of trying forever. */
async function createDirectory(path: string): Promise<void> {
	const existing = await stat(path).catch(() => null)
	if (existing?.isDirectory()) return
	if (existing)
		throw new StartFailure(
			`DATA_DIR: ${path} is not a directory; remove it, or set DATA_DIR to another folder`,
		)
	const parent = dirname(path)
	if (parent !== path) await createDirectory(parent)
	try {
		await mkdir(path, { mode: 0o700 })
	} catch (error) {
		// Another process created it at the same time.
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
	}
}

async function checkSpace(path: string): Promise<void> {
	const { bavail, bsize } = await statfs(path)
	const freeBytes = bavail * bsize
	if (freeBytes >= MIN_FREE_BYTES) return
	const mebibytes = Math.floor(freeBytes / 1024 / 1024)
	throw new StartFailure(
		`no space left: the disk of DATA_DIR (${path}) has ${mebibytes} MiB free; free at least 64 MiB`,
	)
}

/**
 * Locks the directory, because two runtimes on the same files would corrupt them. SQLite's lock is an OS lock, which
 * ends with its process.
 */
function lock(path: string): Disposable {
	const db = new DatabaseSync(join(path, 'lock.sqlite'), { timeout: 0 })
	try {
		db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
	} catch (error) {
		db.close()
		if (!String(error).includes('locked')) throw error
		throw new StartFailure(`DATA_DIR: ${path} is used by another running Playhouse; stop it or set DATA_DIR`)
	}
	return { [Symbol.dispose]: () => db.close() }
}
