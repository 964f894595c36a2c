import { readdirSync, readFileSync } from 'node:fs'
import { parseStat } from '../bench/lib/workerd.ts'

/** /proc reports CPU time in hundredths of a second. */
const TICK_MS = 10
/** Where a parsed stat line has user and system time: of the process, and of its ended children. */
const OWN = [11, 12] as const
const CHILDREN = [13, 14] as const

/** Stat lines of all processes by id. */
export type Stats = ReadonlyMap<number, string>

/** Returns the CPU time of a process, its ended children and its running descendants; NaN if it is not listed. */
export function treeCpuMs(pid: number, stats: Stats): number {
	const parents = [...stats].map(([id, stat]) => ({ id, parent: parseStat(stat).parent }))
	const descendants = (id: number): number[] =>
		parents.filter(({ parent }) => parent === id).flatMap((child) => [child.id, ...descendants(child.id)])
	return sumMs([pid, ...descendants(pid)], [...OWN, ...CHILDREN], stats)
}

/** Returns the CPU time of this process, and of the workerd processes that it started. */
export function readRuntimesCpuMs(): number {
	const stats = readStats()
	const runtimes = [...stats.keys()].filter((id) => {
		const { command, parent } = parseStat(stats.get(id) ?? '')
		return command === 'workerd' && parent === process.pid
	})
	return sumMs([process.pid, ...runtimes], OWN, stats)
}

export const readTreeCpuMs = (): number => treeCpuMs(process.pid, readStats())

/** Returns the CPU time of all ended child processes and their descendants; NaN without /proc. */
export const readChildrenCpuMs = (): number => sumMs([process.pid], CHILDREN, readStats())

/** Divides the CPU time of processes that several files share equally among the files that run at the time. */
export class SharedCpu {
	private readonly running = new Map<string, number>()
	private chargedMs = 0
	private readonly readMs: () => number

	constructor(readMs: () => number) {
		this.readMs = readMs
	}

	start(file: string): void {
		this.charge()
		this.running.set(file, 0)
	}

	/** Returns the share of a file. */
	end(file: string): number {
		this.charge()
		const ms = this.running.get(file) ?? Number.NaN
		this.running.delete(file)
		return ms
	}

	private charge(): void {
		const nowMs = this.readMs()
		const share = (nowMs - this.chargedMs) / this.running.size
		for (const [file, ms] of this.running) this.running.set(file, ms + share)
		this.chargedMs = nowMs
	}
}

const sumMs = (pids: readonly number[], fields: readonly number[], stats: Stats): number =>
	pids
		.flatMap((pid) => fields.map((field) => Number(parseStat(stats.get(pid) ?? '').rest[field])))
		.reduce((sum, ticks) => sum + ticks * TICK_MS, 0)

function readStats(): Stats {
	try {
		const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
		return new Map(pids.flatMap((pid) => readStat(pid)))
	} catch {
		return new Map()
	}
}

/** A process may have ended. */
function readStat(pid: string): [number, string][] {
	try {
		return [[Number(pid), readFileSync(`/proc/${pid}/stat`, 'latin1')]]
	} catch {
		return []
	}
}
