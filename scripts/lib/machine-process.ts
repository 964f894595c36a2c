import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './root.ts'

/** A real transcoder daemon in a process that can be stopped and killed. */
export type MachineProcess = {
	pid: number
	/** Its log entries, parsed. */
	lines: Record<string, unknown>[]
	signal(signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
	ended: Promise<void>
}

export function startMachine(options: {
	edgeUrl: string
	fleetToken: string
	dataDir: string
	name: string
	env?: Record<string, string>
	/** Command prefix, such as `taskset -c 0`. */
	before?: readonly string[]
	/** Program to run instead of the daemon. */
	main?: string
}): MachineProcess {
	const [program = '', ...args] = [
		...(options.before ?? []),
		process.execPath,
		'--disable-warning=ExperimentalWarning',
		options.main ?? join(root, 'transcoder-daemon', 'main.ts'),
	]
	const child = spawn(program, args, {
		stdio: ['ignore', 'pipe', 'inherit'],
		env: {
			...process.env,
			PLAYHOUSE_EDGE_URL: options.edgeUrl,
			PLAYHOUSE_FLEET_TOKEN: options.fleetToken,
			PLAYHOUSE_DATA_DIR: options.dataDir,
			PLAYHOUSE_NAME: options.name,
			// Only files of tests and proofs are processed here.
			PLAYHOUSE_ALLOW_UNSANDBOXED: 'true',
			...options.env,
		},
	})
	const lines: Record<string, unknown>[] = []
	let rest = ''
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		const all = (rest + text).split('\n')
		rest = all.pop() ?? ''
		for (const line of all) lines.push(lineIn(line))
	})
	return {
		pid: child.pid ?? 0,
		lines,
		signal: (signal) => void child.kill(signal),
		ended: once(child, 'exit').then(() => {}),
	}
}

function lineIn(text: string): Record<string, unknown> {
	try {
		return JSON.parse(text)
	} catch {
		return { text }
	}
}

export type RunningProgram = { pid: number; command: string; isStopped: boolean }

/** Lists processes whose command line or environment contains a folder: the machine itself and what it left running. */
export async function listPrograms(folder: string): Promise<RunningProgram[]> {
	const read = (pid: string, name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
	const found: RunningProgram[] = []
	for (const pid of await readdir('/proc')) {
		if (!/^\d+$/.test(pid)) continue
		const command = await read(pid, 'cmdline')
		if (!command.includes(folder) && !(await read(pid, 'environ')).includes(folder)) continue
		// The state follows the name, which is in parentheses and may contain any character.
		const state = /\) (\w) [^)]*$/.exec(await read(pid, 'stat'))?.[1]
		if (command === '' || state === undefined || state === 'Z') continue
		found.push({ pid: Number(pid), command: command.replaceAll('\0', ' '), isStopped: state === 'T' })
	}
	return found
}
