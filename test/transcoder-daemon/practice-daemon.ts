import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { jsonLog } from '../../transcoder-daemon/log.ts'
import { listenForShutdown } from '../../transcoder-daemon/run/shutdown.ts'
import { startDaemon } from '../../transcoder-daemon/start.ts'
import type { RunTask, TaskContext } from '../../transcoder-daemon/tasks/task.ts'

/**
 * The daemon with controllable tasks: `inspect` runs a program for the specified time and returns its observations;
 * `video` stops at the percentage given by its number of frames. Everything else is real.
 */
const facts = { workSec: 1, mediaSec: 2, hwAccelUsed: false, notes: [] }
const video = {
	container: 'mov',
	sizeBytes: 1,
	durationSec: 1,
	video: null,
	audio: [],
}

async function runProgram({ programs, workDir, sourcePath, signal, log }: TaskContext, mode: string) {
	const readable = sourcePath ? [sourcePath] : []
	const [file = '', ...args] = programs.confine([programs.ffmpeg, '-t', mode], { workDir, readable })
	const child = spawn(file, args, {
		stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
		signal,
		killSignal: 'SIGKILL',
	})
	log.info('program started', { pid: child.pid ?? 0 })
	const [code] = await once(child, 'close')
	if (code !== 0) throw new Error(`the program ended with ${code}`)
}

const inspect: RunTask<'inspect'> = async ({ maxDurationSec }, context) => {
	await runProgram(context, String(maxDurationSec))
	return { kind: 'inspect', info: video, ...facts }
}

const encode: RunTask<'video'> = async ({ frames }, { progress, signal }) => {
	progress((frames ?? 0) / 100)
	await once(signal, 'abort')
	throw signal.reason
}

const log = jsonLog(
	(line) => void process.stdout.write(`${line}\n`),
	() => new Date(),
)
const shutdown = listenForShutdown(process, log)
shutdown.abort.addEventListener('abort', () => process.exit(143))
process.exit(await startDaemon(process.env, log, shutdown, { inspect, video: encode }))
