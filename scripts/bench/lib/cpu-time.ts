import { listWorkerdPids, parseStat, readStat } from './workerd.ts'

/** Linux reports CPU time in units of 10 ms, on every architecture. */
const TICK_MS = 10

/** Returns the CPU time of the workerd processes that this process started, in milliseconds; NaN without /proc. */
export async function readWorkerdCpuMs(): Promise<number> {
	const pids = await listWorkerdPids()
	if (pids.length === 0) return Number.NaN
	const stats = await Promise.all(pids.map(readStat))
	// User and system time are fields 12 and 13 after the name.
	return stats
		.map((stat) => parseStat(stat).rest)
		.reduce((sum, rest) => sum + (Number(rest[11]) + Number(rest[12])) * TICK_MS, 0)
}
