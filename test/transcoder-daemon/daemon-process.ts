import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { runEnvironment } from '../support/node/run-environment.ts'

const main = join(import.meta.dirname, '..', '..', 'transcoder-daemon', 'main.ts')

export type Line = {
	level: string
	message: string
	machineId?: string
	task?: string
	kind?: string
	traceId?: string
	port?: number
}

/** Starts the daemon as a process, observed only through signals, output and exit status. */
export function spawnDaemon(env: Record<string, string>, args: readonly string[] = [], program = main) {
	const child = spawn(process.execPath, [program, ...args], {
		// Some test machines have no sandbox.
		env: {
			PATH: process.env.PATH,
			HOME: process.env.HOME,
			NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
			...runEnvironment(),
			PLAYHOUSE_ALLOW_UNSANDBOXED: 'true',
			...env,
		},
		stdio: ['ignore', 'pipe', 'pipe'],
	})
	const lines: Line[] = []
	let unread = 0
	const output = createInterface({ input: child.stdout })
	output.on('line', (text) =>
		lines.push(text.startsWith('{') ? JSON.parse(text) : { level: 'text', message: text }),
	)
	createInterface({ input: child.stderr }).on('line', (message) => lines.push({ level: 'stderr', message }))
	const exited = once(child, 'exit').then(
		([code, signal]) => ({ code, signal }) as { code: number | null; signal: string | null },
	)
	const ended = once(output, 'close')

	/** Returns the next line that contains the message; the search continues after the line found last. */
	async function waitForLog(message: string): Promise<Line> {
		for (;;) {
			while (unread < lines.length) {
				const line = lines[unread++]
				if (line?.message.includes(message)) return line
			}
			const more = await Promise.race([once(output, 'line').then(() => true), ended.then(() => false)])
			if (!more && unread >= lines.length)
				throw new Error(`the daemon ended without logging "${message}": ${JSON.stringify(lines)}`)
		}
	}

	return {
		lines,
		waitForLog,
		/** Resolves with the exit status when all output was read. */
		ended: Promise.all([exited, ended]).then(([status]) => status),
		kill: (signal: NodeJS.Signals) => child.kill(signal),
		async [Symbol.asyncDispose]() {
			child.kill('SIGKILL')
			await exited
		},
	}
}
