import { readFileSync } from 'node:fs'
import { fieldsOf } from '../workerd.ts'

const EVERY_MS = 100
/** Linux counts CPU time in hundredths of a second, on every architecture. */
const TICKS_PER_SECOND = 100

export type Watch = { peakBytes(): number; cpuSec(): number; [Symbol.dispose](): void }

/**
 * What a process and all it started hold and have used, as seen ten times a second: the most memory, and the CPU time
 * from now on, by which two ways can be compared on a machine that others use, too. What ended is counted as it was
 * seen last: bubblewrap ends without waiting for its child, and the kernel's own sum of ended children lacks that.
 */
export function watchProcess(pid: number): Watch {
	let peak = 0
	const used = new Map<string, number>()
	const look = () => {
		const seen = [pid, ...descendantsOf(pid)]
		peak = Math.max(
			peak,
			seen.reduce((sum, one) => sum + heldBy(one), 0),
		)
		for (const one of seen) {
			const { id, seconds } = usedBy(one)
			if (seconds > 0) used.set(id, seconds)
		}
		return [...used.values()].reduce((sum, seconds) => sum + seconds, 0)
	}
	const before = look()
	const timer = setInterval(look, EVERY_MS)
	return {
		peakBytes: () => peak,
		cpuSec: () => look() - before,
		[Symbol.dispose]: () => clearInterval(timer),
	}
}

/** CPU time of all that this process started and saw the end of. */
export const usedByEnded = (): number => secondsIn(statOf('self'), [13, 14])

/** User and system time of its own, under a name that no other process gets: with the tick when it began. */
function usedBy(pid: number): { id: string; seconds: number } {
	const stat = statOf(pid)
	return { id: `${pid} ${stat[19]}`, seconds: secondsIn(stat, [11, 12]) }
}

/** What follows the name in `stat`. */
const statOf = (pid: number | 'self'): string[] => {
	const stat = read(`/proc/${pid}/stat`)
	return stat ? fieldsOf(stat).rest : []
}

const secondsIn = (stat: string[], places: readonly number[]): number =>
	places.reduce((sum, place) => sum + Number(stat[place] ?? 0), 0) / TICKS_PER_SECOND

const heldBy = (pid: number): number => Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * 4_096

const descendantsOf = (pid: number): number[] =>
	childrenOf(pid).flatMap((one) => [one, ...descendantsOf(one)])

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
