import { fieldsOf, readStat } from '../bench/lib/workerd.ts'

/** The unit of CPU time in /proc is a hundredth of a second. */
const TICK_MS = 10

/** CPU time of the ended programs that this process started, and of theirs; NaN where there is no /proc. */
export async function readChildrenCpuMs(): Promise<number> {
	const { rest } = fieldsOf(await readStat(process.pid))
	return (Number(rest[13]) + Number(rest[14])) * TICK_MS
}
