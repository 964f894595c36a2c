import { open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Above what a daemon keeps free for its work; memory is taken only by what is written. */
const ROOMY = 'size=640m,nr_inodes=200'
const TINY = 'size=16m'

/**
 * A command line that gives a program a disk of its own at `path`, which goes with the program. It needs no rights: the
 * mount is in a namespace of its own.
 */
export const withDisk = (path: string, size: 'roomy' | 'tiny'): string[] => {
	const options = size === 'roomy' ? ROOMY : TINY
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

/** The folder as the program sees it. */
const seenBy = (pid: number, path: string) => `/proc/${pid}/root${path}`
const FULL = 'filler'

/** Until nothing can be written any more, or no file made; undone by what it answers. */
export async function fillDisk(
	pid: number,
	path: string,
	of: 'bytes' | 'files',
): Promise<() => Promise<void>> {
	const dir = seenBy(pid, path)
	const made = [join(dir, FULL)]
	try {
		if (of === 'bytes') await fillWithBytes(join(dir, FULL))
		else
			for (let index = 0; ; index++) {
				const name = join(dir, `${FULL}-${index}`)
				await writeFile(name, '', { flag: 'wx' })
				made.push(name)
			}
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
	}
	return async () => {
		for (const name of made) await rm(name, { force: true })
	}
}

async function fillWithBytes(path: string): Promise<void> {
	await using file = await open(path, 'w')
	const block = Buffer.alloc(1024 ** 2)
	for (;;) {
		// A short write comes before the refusal.
		await file.write(block)
	}
}
