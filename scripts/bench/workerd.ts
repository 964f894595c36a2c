import { readdir, readFile } from 'node:fs/promises'

/** Ids of the workerds that this process has started; none where there is no /proc. */
export async function workerdPids(): Promise<number[]> {
	const names = await readdir('/proc').catch(() => [])
	const found = await Promise.all(
		names
			.filter((name) => /^\d+$/.test(name))
			.map(async (name) => {
				const { command, parent } = fieldsOf(await readStat(Number(name)))
				return command === 'workerd' && parent === process.pid ? [Number(name)] : []
			}),
	)
	return found.flat()
}

/** It may have ended since it was listed: then this is empty. */
export const readStat = (pid: number): Promise<string> =>
	readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')

/** The name stands in brackets and may hold anything; what follows it: state, parent, … */
export function fieldsOf(stat: string): { command: string; parent: number; rest: string[] } {
	const rest = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
	return { command: /\((.*)\)/.exec(stat)?.[1] ?? '', parent: Number(rest[1]), rest }
}

/** Memory of a process that is not shared out to disk, in bytes. */
export async function residentBytes(pid: number): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'latin1')
	return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}
