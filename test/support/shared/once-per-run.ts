import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Shared by all processes of `npm test`. Otherwise each process has its own. */
export const runDirectory = process.env.TEST_RUN_DIRECTORY ?? ownDirectory()

function ownDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), 'playhouse-run-'))
	process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
	return directory
}

/** Returns the path of a file or folder that the first process of this run that needs it creates for all. */
export async function oncePerRun(name: string, make: (path: string) => Promise<unknown>): Promise<string> {
	const path = join(runDirectory, name)
	if (existsSync(path)) return path
	// Other processes may read it at any time, so it is renamed when it is complete.
	const partial = `${path}.${randomUUID()}`
	await make(partial)
	try {
		await rename(partial, path)
	} catch (error) {
		// A folder can't replace the same folder that another process has created meanwhile.
		if (!existsSync(path)) throw error
		await rm(partial, { recursive: true })
	}
	return path
}
