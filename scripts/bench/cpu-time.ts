import { readdir, readFile } from 'node:fs/promises'

/** Linux counts it in hundredths of a second, on every architecture. */
const TICK_MS = 10

/** Milliseconds of CPU that the workerds started by this process have used; NaN where there is no /proc. */
export async function readWorkerdCpuMs(): Promise<number> {
	const pids = await readdir('/proc').catch(() => [])
	const stats = await Promise.all(
		pids
			.filter((name) => /^\d+$/.test(name))
			// It may have ended since it was listed.
			.map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')),
	)
	const ours = stats
		.filter((stat) => stat.includes('(workerd)'))
		// What follows the name: state, parent, …, and user and system time as the 12th and 13th.
		.map((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' '))
		.filter(([, parent]) => parent === String(process.pid))
	if (ours.length === 0) return Number.NaN
	return ours.reduce((sum, fields) => sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS, 0)
}
