import { readFileSync } from 'node:fs'
import { computeMedian } from '../../bench/lib/statistics.ts'

const KIB_PER_MIB = 1024

/**
 * Memory of a process tree by part, in MiB. `files` are pages of the servers' programs and libraries, which the system can
 * drop and read again; each counts once, and whoever else uses them does not count.
 */
export type Memory = {
	npm: number
	server: number
	workerd: number
	daemon: number
	files: number
	programs: number
}

export type Part = keyof Memory

export const sumMemory = (memory: Memory): number =>
	Object.values(memory).reduce((sum, part) => sum + part, 0)

/** Measures a process and its descendants. A process that ends meanwhile counts as nothing. */
export function measureProcess(pid: number): Memory {
	const memory: Memory = { npm: 0, server: 0, workerd: 0, daemon: 0, files: 0, programs: 0 }
	const files = new Map<string, number>()
	const add = (each: number) => {
		const part = classifyProcess(read(`/proc/${each}/cmdline`))
		memory[part] += ownMib(each)
		if (part !== 'programs') addFiles(read(`/proc/${each}/smaps`), files)
		for (const child of listChildPids(each)) add(child)
	}
	add(pid)
	memory.files = [...files.values()].reduce((sum, kib) => sum + kib, 0) / KIB_PER_MIB
	return memory
}

/** Adds the KiB of each mapped part of a file, or keeps what another process has of it if that is more. */
export function addFiles(smaps: string, files: Map<string, number>): void {
	let part = ''
	let resident = 0
	for (const line of smaps.split('\n')) {
		const [, offset, path] = /^[\da-f]+-[\da-f]+ \S+ (\S+) \S+ \d+\s*(.*)$/.exec(line) ?? []
		if (path !== undefined) part = path.startsWith('/') ? `${path} ${offset}` : ''
		const [, field, kib] = /^(Rss|Anonymous):\s+(\d+)/.exec(line) ?? []
		if (field === 'Rss') resident = Number(kib)
		// Pages that the process has changed are its own.
		if (field === 'Anonymous' && part) files.set(part, Math.max(files.get(part) ?? 0, resident - Number(kib)))
	}
}

/** `commandLine`: as in /proc, with a NUL after each argument. */
export function classifyProcess(commandLine: string): Part {
	if (commandLine.includes('scripts/start/main.ts')) return 'server'
	if (commandLine.includes('transcoder-daemon/main.ts')) return 'daemon'
	if (/bin\/workerd\0/.test(commandLine)) return 'workerd'
	return /^npm |bootstrap\.mjs/.test(commandLine) ? 'npm' : 'programs'
}

const ownMib = (pid: number): number =>
	Number(/^Pss_Anon:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / KIB_PER_MIB

export const listChildPids = (pid: number): number[] =>
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
export function computeGrowth(warmUpMinutes: number, samples: readonly Sample[]): number {
	const sizes = samples
		.filter(({ minute }) => minute >= warmUpMinutes)
		.map(({ memory }) => sumMemory(memory) - memory.programs)
	const quarter = Math.max(1, Math.floor(sizes.length / 4))
	return computeMedian(sizes.slice(-quarter)) / computeMedian(sizes.slice(0, quarter))
}
