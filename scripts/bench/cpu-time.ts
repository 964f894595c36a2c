import { fieldsOf, readStat, workerdPids } from './workerd.ts'

/** Linux counts it in hundredths of a second, on every architecture. */
const TICK_MS = 10

/** Milliseconds of CPU that the workerds started by this process have used; NaN where there is no /proc. */
export async function readWorkerdCpuMs(): Promise<number> {
	const pids = await workerdPids()
	if (pids.length === 0) return Number.NaN
	const stats = await Promise.all(pids.map(readStat))
	// User and system time are the 12th and 13th of what follows the name.
	return stats
		.map((stat) => fieldsOf(stat).rest)
		.reduce((sum, rest) => sum + (Number(rest[11]) + Number(rest[12])) * TICK_MS, 0)
}
