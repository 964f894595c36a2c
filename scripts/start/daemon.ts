import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Console } from '../lib/console/console.ts'
import { wrapToDieWithParent } from '../lib/die-with-parent.ts'
import { root } from '../lib/root.ts'

const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 30_000
/** After this run time a daemon counts as healthy, and its next restart begins with the short pause. */
const HEALTHY_AFTER_MS = 60_000
/** EX_CONFIG of sysexits.h: a restart fails in the same way until somebody has fixed it. */
const MISCONFIGURED = 78
const MISCONFIGURED_PAUSE_MS = 60 * 60_000
// The second option keeps the daemon's memory small (docs/decisions/0044-memory-of-one-machine.md).
const nodeOptions = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1']
/** Grace period for returning tasks; after it the daemon is killed and leases expire. */
const STOP_MS = 25_000

export type Daemon = {
	stop(): Promise<void>
	/** Returns its tasks and starts again with the current code. */
	restart(): Promise<void>
	kill(): void
}

type Output = Pick<Console, 'printed' | 'log'>

/** Runs the transcoder daemon, restarts it when it ends, and prints its log. */
export function superviseDaemon(
	env: NodeJS.ProcessEnv,
	out: Output,
	main = join(root, 'transcoder-daemon', 'main.ts'),
	misconfiguredPauseMs = MISCONFIGURED_PAUSE_MS,
): Daemon {
	let isStopping = false
	let isOver = false
	let pauseMs = FIRST_PAUSE_MS
	let timer: NodeJS.Timeout | undefined
	let child: ChildProcess | undefined

	const launch = () => {
		if (isOver) return
		isStopping = false
		const startedAt = Date.now()
		const [program = '', ...args] = wrapToDieWithParent('TERM', [process.execPath, ...nodeOptions, main])
		const launched = spawn(program, args, {
			env,
			stdio: ['ignore', 'pipe', 'pipe'],
		})
		child = launched
		createInterface({ input: launched.stdout }).on('line', (line) => out.printed(line))
		createInterface({ input: launched.stderr }).on('line', (line) => out.printed(line, 'error'))
		launched.once('error', (error) => out.log('error', `The transcoder could not start: ${error.message}`))
		launched.once('exit', (code, signal) => {
			if (isStopping) return
			if (code === MISCONFIGURED) {
				out.log(
					'error',
					'The transcoder is misconfigured; the line above says what to do. It is tried again in an hour; restart Playhouse to try at once.',
				)
				timer = setTimeout(launch, misconfiguredPauseMs)
				return
			}
			if (Date.now() - startedAt > HEALTHY_AFTER_MS) pauseMs = FIRST_PAUSE_MS
			const reason = `The transcoder ended (${signal ?? code})`
			out.log('error', `${reason}; restarting in ${pauseMs / 1000} s.`)
			timer = setTimeout(launch, pauseMs)
			pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
		})
	}
	launch()

	const isRunning = () => child?.pid !== undefined && child.exitCode === null && child.signalCode === null
	const end = async () => {
		isStopping = true
		clearTimeout(timer)
		if (!child || !isRunning()) return
		const ended = once(child, 'exit')
		child.kill('SIGTERM')
		const killTimer = setTimeout(() => child?.kill('SIGKILL'), STOP_MS)
		await ended
		clearTimeout(killTimer)
	}
	return {
		async stop() {
			isOver = true
			await end()
		},
		async restart() {
			await end()
			pauseMs = FIRST_PAUSE_MS
			launch()
		},
		kill: () => child?.kill('SIGKILL'),
	}
}
