import { readFileSync } from 'node:fs'
import { parseStat } from '../lib/workerd.ts'

const SAMPLE_MS = 100
/** Linux counts CPU time in hundredths of a second, on every architecture. */
const TICKS_PER_SECOND = 100

export type Watch = { peakBytes(): number; cpuSec(): number; [Symbol.dispose](): void }

/**
 * Measures peak memory and CPU time of a process and its descendants, ten times a second. CPU time counts from this
 * call on. An ended process counts with its last values: the kernel's sum of ended children lacks the children of
 * bubblewrap, which does not wait for them.
 */
export function watchProcess(pid: number): Watch {
	let peak = 0
	const used = new Map<string, number>()
	const sample = () => {
		const seen = [pid, ...descendantsOf(pid)]
		peak = Math.max(
			peak,
			seen.reduce((sum, each) => sum + memoryOf(each), 0),
		)
		for (const each of seen) {
			const { id, seconds } = cpuTimeOf(each)
			if (seconds > 0) used.set(id, seconds)
		}
		return [...used.values()].reduce((sum, seconds) => sum + seconds, 0)
	}
	const before = sample()
	const timer = setInterval(sample, SAMPLE_MS)
	return {
		peakBytes: () => peak,
		cpuSec: () => sample() - before,
		[Symbol.dispose]: () => clearInterval(timer),
	}
}

/** Returns the CPU time of all children that have ended. */
export const readEndedChildrenCpuSeconds = (): number => secondsIn(statOf('self'), [13, 14])

/** Returns user and system time, with an id that includes the start time, because process ids are reused. */
function cpuTimeOf(pid: number): { id: string; seconds: number } {
	const stat = statOf(pid)
	return { id: `${pid} ${stat[19]}`, seconds: secondsIn(stat, [11, 12]) }
}

/** Returns the fields after the name in `stat`. */
const statOf = (pid: number | 'self'): string[] => {
	const stat = read(`/proc/${pid}/stat`)
	return stat ? parseStat(stat).rest : []
}

const secondsIn = (stat: string[], places: readonly number[]): number =>
	places.reduce((sum, place) => sum + Number(stat[place] ?? 0), 0) / TICKS_PER_SECOND

const memoryOf = (pid: number): number => Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * 4_096

const descendantsOf = (pid: number): number[] =>
	childrenOf(pid).flatMap((each) => [each, ...descendantsOf(each)])

const childrenOf = (pid: number): number[] =>
	read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)

/** Returns an empty string if the process has ended. */
function read(path: string): string {
	try {
		return readFileSync(path, 'utf8')
	} catch {
		return ''
	}
}
