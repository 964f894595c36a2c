import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from './settings.ts'

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
/** A daemon that has run for this long was well; its next end starts over with the short pause. */
const WELL_AFTER_MS = 60_000
/** As sysexits.h has it: it is set up wrongly, and would end the same way each time. */
const MISCONFIGURED = 78
/** The daemon hands its work back in this time; after it, leases run out by themselves. */
const STOP_MS = 25_000

export type Daemon = { stop(): Promise<void>; kill(): void }

/** Keeps the transcoder running beside the Worker. Its lines go where ours go. */
export function superviseDaemon(
	env: NodeJS.ProcessEnv,
	main = join(root, 'transcoder-daemon', 'main.ts'),
): Daemon {
	let stopping = false
	let pauseMs = FIRST_PAUSE_MS
	let timer: NodeJS.Timeout | undefined
	let child: ChildProcess | undefined

	const launch = () => {
		const startedAt = Date.now()
		child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
			env,
			stdio: ['ignore', 'inherit', 'inherit'],
		})
		child.once('error', (error) => console.error(`The transcoder could not be started: ${error.message}`))
		child.once('exit', (code, signal) => {
			if (stopping) return
			if (code === MISCONFIGURED) {
				console.error('The transcoder does not run as it is set up; the line above says why.')
				return
			}
			if (Date.now() - startedAt > WELL_AFTER_MS) pauseMs = FIRST_PAUSE_MS
			console.error(`The transcoder ended (${signal ?? code}); it is started again in ${pauseMs / 1000} s.`)
			timer = setTimeout(launch, pauseMs)
			pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
		})
	}
	launch()

	const isRunning = () => child?.pid !== undefined && child.exitCode === null && child.signalCode === null
	return {
		async stop() {
			stopping = true
			clearTimeout(timer)
			if (!child || !isRunning()) return
			const ended = once(child, 'exit')
			child.kill('SIGTERM')
			const hurry = setTimeout(() => child?.kill('SIGKILL'), STOP_MS)
			await ended
			clearTimeout(hurry)
		},
		kill: () => child?.kill('SIGKILL'),
	}
}
