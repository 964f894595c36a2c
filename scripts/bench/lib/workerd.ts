import { readdir, readFile } from 'node:fs/promises'

/** Returns the ids of workerd processes that this process started; none without /proc. */
export async function listWorkerdPids(): Promise<number[]> {
	const names = await readdir('/proc').catch(() => [])
	const found = await Promise.all(
		names
			.filter((name) => /^\d+$/.test(name))
			.map(async (name) => {
				const { command, parent } = parseStat(await readStat(Number(name)))
				return command === 'workerd' && parent === process.pid ? [Number(name)] : []
			}),
	)
	return found.flat()
}

/** Returns an empty string if the process has ended. */
export const readStat = (pid: number): Promise<string> =>
	readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')

/**
 * Parses a stat line. The name is in parentheses and may contain any character; `rest` begins with the state and the
 * parent id.
 */
export function parseStat(stat: string): { command: string; parent: number; rest: string[] } {
	const rest = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
	return { command: /\((.*)\)/.exec(stat)?.[1] ?? '', parent: Number(rest[1]), rest }
}

/** Returns the resident memory of a process in bytes. */
export async function readResidentBytes(pid: number): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'latin1')
	return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}
