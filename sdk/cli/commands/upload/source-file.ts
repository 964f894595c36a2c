import { access, constants, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { CommandFailure } from '../../frame/failure.ts'

/** A file to upload, as it was when the command began. */
export type SourceFile = {
	path: string
	name: string
	size: number
	modifiedMs: number
}

/** Checks that a file can be uploaded. Its content is read while it is sent. */
export async function checkSourceFile(given: string): Promise<SourceFile> {
	const path = resolve(given)
	// `stat` does not open the file: opening a FIFO would wait for a writer.
	const found = await stat(path)
	if (found.isDirectory()) throw new CommandFailure(`${given} is a folder; name a file`)
	if (!found.isFile())
		throw new CommandFailure(`${given} is not a regular file; copy its content into a file first`)
	if (found.size === 0) throw new CommandFailure(`${given} is empty; name a file with content`)
	await access(path, constants.R_OK)
	return { path, name: basename(path), size: found.size, modifiedMs: found.mtimeMs }
}
