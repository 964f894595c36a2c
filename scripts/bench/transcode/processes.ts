import { readFileSync } from 'node:fs'
import { fieldsOf } from '../workerd.ts'

const EVERY_MS = 100
/** Linux counts CPU time in hundredths of a second, on every architecture. */
const TICKS_PER_SECOND = 100

export type Watch = { peakBytes(): number; cpuSec(): number; [Symbol.dispose](): void }

/**
 * What a process and all it started hold and have used: the most memory, as seen ten times a second, and the CPU time
 * from now on. CPU time is what two ways can be compared by on a machine that others use, too.
 */
export function watchProcess(pid: number): Watch {
	let peak = 0
	const look = () => {
		peak = Math.max(peak, heldBy(pid))
	}
	look()
	const before = usedBy(pid)
	const timer = setInterval(look, EVERY_MS)
	return {
		peakBytes: () => peak,
		cpuSec: () => usedBy(pid) - before,
		[Symbol.dispose]: () => clearInterval(timer),
	}
}

/** CPU time of all that this process started and saw the end of. */
export const usedByEnded = (): number => ticks('self', [13, 14]) / TICKS_PER_SECOND

const usedBy = (pid: number): number =>
	ticks(pid, [11, 12, 13, 14]) / TICKS_PER_SECOND +
	childrenOf(pid).reduce((sum, child) => sum + usedBy(child), 0)

/** Of what follows the name in `stat`: own user and system time, then those of children that ended. */
function ticks(pid: number | 'self', places: readonly number[]): number {
	const stat = read(`/proc/${pid}/stat`)
	if (!stat) return 0
	const { rest } = fieldsOf(stat)
	return places.reduce((sum, place) => sum + Number(rest[place]), 0)
}

const heldBy = (pid: number): number =>
	Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * 4_096 +
	childrenOf(pid).reduce((sum, child) => sum + heldBy(child), 0)

const childrenOf = (pid: number): number[] =>
	read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)

/** What has ended meanwhile holds nothing. */
function read(path: string): string {
	try {
		return readFileSync(path, 'utf8')
	} catch {
		return ''
	}
}
