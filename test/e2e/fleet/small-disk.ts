import { open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** More than a daemon keeps free for its work; memory is used only for what is written. */
const LARGE = 'size=640m,nr_inodes=200'
const SMALL = 'size=16m'

/**
 * A command line that gives a program its own disk at `path`, which is removed when the program ends. It needs no
 * privileges, as the mount is in a separate namespace.
 */
export const withDisk = (path: string, size: 'large' | 'small'): string[] => {
	const options = size === 'large' ? LARGE : SMALL
	return [
		'unshare',
		'--user',
		'--map-root-user',
		'--mount',
		'sh',
		'-c',
		`mount -t tmpfs -o ${options} none "$0" && exec "$@"`,
		path,
	]
}

/** The path of the folder in the program's namespace. */
const inNamespaceOf = (pid: number, path: string) => `/proc/${pid}/root${path}`
const FULL = 'filler'

/** Writes until the disk is full, or until no file can be created; the returned function deletes what was written. */
export async function fillDisk(
	pid: number,
	path: string,
	of: 'bytes' | 'files',
): Promise<() => Promise<void>> {
	const dir = inNamespaceOf(pid, path)
	const files = [join(dir, FULL)]
	try {
		if (of === 'bytes') await fillWithBytes(join(dir, FULL))
		else
			for (let index = 0; ; index++) {
				const name = join(dir, `${FULL}-${index}`)
				await writeFile(name, '', { flag: 'wx' })
				files.push(name)
			}
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
	}
	return async () => {
		for (const name of files) await rm(name, { force: true })
	}
}

async function fillWithBytes(path: string): Promise<void> {
	await using file = await open(path, 'w')
	const block = Buffer.alloc(1024 ** 2)
	for (;;) {
		// The last write before the error may be partial.
		await file.write(block)
	}
}
