import { parseStat, readStat } from '../bench/lib/workerd.ts'

/** /proc reports CPU time in hundredths of a second. */
const TICK_MS = 10

/** Returns the CPU time of all ended child processes and their descendants; NaN without /proc. */
export async function readChildrenCpuMs(): Promise<number> {
	const { rest } = parseStat(await readStat(process.pid))
	return (Number(rest[13]) + Number(rest[14])) * TICK_MS
}
