import { readFile, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
const GiB = 1024 ** 3
/** More than the temporary files of a complete run take at a time. */
const MIN_FREE_BYTES = 4 * GiB
/** The files take memory, and the tests need about 3 GiB. */
const MIN_AVAILABLE_BYTES = 7 * GiB

export type Memory = {
	/** The text of /proc/mounts. */
	mounts: string
	freeBytes: number
	/** The text of /proc/meminfo. */
	info: string
}

/** Whether a file system in memory can hold the temporary files of a run. Tests run programs that they write there. */
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
 * Returns the folder for temporary files: that of the environment variable TMPDIR, or else one in memory. Tests write
 * thousands of small transactions, and a disk takes a millisecond to store each.
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
		// Only Linux has these files.
	}
	return tmpdir()
}
