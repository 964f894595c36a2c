import { openAsBlob } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { PlayhouseError } from '../../../src/errors.ts'
import { CommandFailure } from '../../frame/failure.ts'

/** A file to upload, as it was when the command began. */
export type SourceFile = {
	path: string
	name: string
	size: number
	modifiedMs: number
	blob: Blob
}

/** The file is no longer the one that the upload began with. Not retried, as the server has a part of the old file. */
export class FileChangedError extends PlayhouseError {
	override readonly name = 'FileChangedError'
}

/** Opens a file. Its content is read while it is sent. */
export async function openSourceFile(given: string): Promise<SourceFile> {
	const path = resolve(given)
	// `stat` does not open the file: opening a FIFO would wait for a writer.
	const found = await stat(path)
	if (found.isDirectory()) throw new CommandFailure(`${given} is a folder; name a file`)
	if (!found.isFile())
		throw new CommandFailure(`${given} is no regular file; copy its content into a file first`)
	if (found.size === 0) throw new CommandFailure(`${given} is empty; name a file with content`)
	await access(path, constants.R_OK)
	const blob = await openAsBlob(path)
	return { path, name: basename(path), size: found.size, modifiedMs: found.mtimeMs, blob }
}

/** Throws if the file has changed since it was opened. */
export async function checkUnchanged({ path, size, modifiedMs }: SourceFile): Promise<void> {
	const found = await stat(path).catch(() => undefined)
	if (found?.size === size && found.mtimeMs === modifiedMs) return
	throw new FileChangedError(
		`${path} ${found ? 'changed' : 'was removed'} while it was sent; run the same command when the file is complete`,
	)
}
