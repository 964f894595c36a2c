import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Belongs to the whole of `npm test`. Where tests run without that, each process has its own. */
export const runDirectory = process.env.TEST_RUN_DIRECTORY ?? ownDirectory()

function ownDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), 'playhouse-run-'))
	process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
	return directory
}

/** Returns the path of a file or folder. The first process that needs it in this run makes it, for all of them. */
export async function oncePerRun(name: string, make: (path: string) => Promise<unknown>): Promise<string> {
	const path = join(runDirectory, name)
	if (existsSync(path)) return path
	// Other processes may look at any time, so it appears whole or not at all.
	const partial = `${path}.${randomUUID()}`
	await make(partial)
	try {
		await rename(partial, path)
	} catch (error) {
		// A folder does not replace the same folder that another process made in the meantime.
		if (!existsSync(path)) throw error
		await rm(partial, { recursive: true })
	}
	return path
}
