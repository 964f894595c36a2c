import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandFailure } from '../frame/failure.ts'

const READABLE_BY_OTHERS = 0o077

/** Reads a JSON file that may contain a secret. Returns undefined if it does not exist. */
export async function readPrivateJson(path: string): Promise<unknown> {
	let text: string
	try {
		// Windows has no such rights; the profile folder of the user protects the file there.
		const { mode } = await stat(path)
		if (process.platform !== 'win32' && mode & READABLE_BY_OTHERS)
			throw new CommandFailure(
				`other users can read ${path}, which contains a secret; run: chmod 600 '${path}'`,
			)
		text = await readFile(path, 'utf8')
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
		throw error
	}
	try {
		return JSON.parse(text)
	} catch {
		// The error of the parser contains a part of the text, and so of the secret.
		throw new CommandFailure(`${path} is not valid JSON; remove the file and run the command again`)
	}
}

/** Writes a file that only its owner can read. A reader never sees a partial file. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
	await mkdir(dirname(path), { recursive: true, mode: 0o700 })
	const partial = `${path}.${randomUUID()}`
	try {
		await writeFile(partial, text, { mode: 0o600, flag: 'wx' })
		const file = await open(partial)
		await file.sync()
		await file.close()
		await rename(partial, path)
	} catch (error) {
		await rm(partial, { force: true })
		throw error
	}
}
