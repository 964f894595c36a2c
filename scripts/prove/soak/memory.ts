import { readFileSync } from 'node:fs'
import { median } from '../../bench/lib/statistics.ts'

const MIB = 1024 * 1024

/** Memory of a process tree by part, in MiB. Pages that several processes share are divided between them (PSS). */
export type Memory = { npm: number; server: number; workerd: number; daemon: number; programs: number }
export type Part = keyof Memory

export const totalOf = (memory: Memory): number => Object.values(memory).reduce((sum, part) => sum + part, 0)

/** Measures a process and its descendants. A process that ends meanwhile counts as nothing. */
export function measure(pid: number): Memory {
	const memory: Memory = { npm: 0, server: 0, workerd: 0, daemon: 0, programs: 0 }
	const add = (each: number) => {
		memory[partOf(read(`/proc/${each}/cmdline`))] += proportionalMib(each)
		for (const child of childrenOf(each)) add(child)
	}
	add(pid)
	return memory
}

function partOf(commandLine: string): Part {
	if (commandLine.includes('scripts/start/main.ts')) return 'server'
	if (commandLine.includes('transcoder-daemon/main.ts')) return 'daemon'
	if (/bin\/workerd\0/.test(commandLine)) return 'workerd'
	return /^npm |bootstrap\.mjs/.test(commandLine) ? 'npm' : 'programs'
}

const proportionalMib = (pid: number): number =>
	(Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024) / MIB

export const childrenOf = (pid: number): number[] =>
	read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)

function read(path: string): string {
	try {
		return readFileSync(path, 'latin1')
	} catch {
		return ''
	}
}

export type Sample = { minute: number; memory: Memory }

/**
 * Returns by how much the servers' memory grew after the warm-up: the median of the last quarter divided by that of the
 * first quarter. Programs of the transcoder come and go with the videos, so they don't count.
 */
export function growthAfter(warmUpMinutes: number, samples: readonly Sample[]): number {
	const sizes = samples
		.filter(({ minute }) => minute >= warmUpMinutes)
		.map(({ memory }) => totalOf(memory) - memory.programs)
	const quarter = Math.max(1, Math.floor(sizes.length / 4))
	return median(sizes.slice(-quarter)) / median(sizes.slice(0, quarter))
}
