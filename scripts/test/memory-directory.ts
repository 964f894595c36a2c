import { readFile, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
const GiB = 1024 ** 3
/** More than the peak size of all temporary files in a complete run. */
const MIN_FREE_BYTES = 4 * GiB
/** The sum of `MIN_FREE_BYTES`, as files in this folder occupy memory, and about 3 GiB for the tests. */
const MIN_AVAILABLE_BYTES = 7 * GiB

export type Memory = {
	/** The text of /proc/mounts. */
	mounts: string
	freeBytes: number
	/** The text of /proc/meminfo. */
	info: string
}

/** Whether the file system in memory is large enough for a run, and allows tests to execute programs that they write. */
export function canHoldRun({ mounts, freeBytes, info }: Memory): boolean {
	const mount = mounts.split('\n').findLast((line) => line.split(' ')[1] === MEMORY)
	const [, , type, options = ''] = mount?.split(' ') ?? []
	const kibibytes = Number(/^MemAvailable: +(\d+) kB$/m.exec(info)?.[1] ?? 0)
	return (
		type === 'tmpfs' &&
		!/\b(noexec|ro)\b/.test(options) &&
		freeBytes >= MIN_FREE_BYTES &&
		kibibytes * 1024 >= MIN_AVAILABLE_BYTES
	)
}

/**
 * Returns the folder for temporary files: the environment variable TMPDIR, or else a folder in memory if possible. Tests
 * write thousands of small transactions, and a disk takes about a millisecond for each.
 */
export async function findTemporaryDirectory(): Promise<string> {
	if (process.env.TMPDIR) return tmpdir()
	try {
		const [mounts, info, { bavail, bsize }] = await Promise.all([
			readFile('/proc/mounts', 'utf8'),
			readFile('/proc/meminfo', 'utf8'),
			statfs(MEMORY),
		])
		if (canHoldRun({ mounts, info, freeBytes: bavail * bsize })) return MEMORY
	} catch {
		// /proc/mounts and /proc/meminfo exist only on Linux.
	}
	return tmpdir()
}
