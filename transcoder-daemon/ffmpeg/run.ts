import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { describeReason } from '../log.ts'
import type { Access, Programs } from '../tasks/task.ts'
import { type Progress, readProgress } from './progress.ts'

/** Size of the kept end of stderr; a damaged file can make a program complain forever. */
const STDERR_BYTES = 16_384
/** Grace period for a program that closed a pipe early. */
const EARLY_CLOSE_MS = 1_000

export type Launch = {
	programs: Programs
	args: readonly string[]
	access: Access
	signal: AbortSignal
	timeoutMs: number
}

/** The program failed by itself; `stderr` holds the end of its output. */
export class ProgramError extends Error {
	override name = 'ProgramError'
	readonly stderr: string
	constructor(message: string, stderr: string) {
		super(message)
		this.stderr = stderr
	}
}

export class ProgramTimeoutError extends ProgramError {
	override name = 'ProgramTimeoutError'
}

export type FfmpegLaunch = Launch & {
	/** Outputs read while ffmpeg runs: `pipe:3`, `pipe:4`, … */
	pipes?: number
	onProgress?: (progress: Progress) => void
}

/**
 * Runs ffmpeg and reads its pipes to the end. Neither the exit status nor an empty stderr proves success: the caller
 * counts the output.
 */
export async function runFfmpeg<T>(
	{ pipes = 0, onProgress = () => {}, ...launch }: FfmpegLaunch,
	read: (pipes: readonly Readable[]) => Promise<T>,
): Promise<{ value: T; progress: Progress; stderr: string }> {
	const common = ['-hide_banner', '-nostdin', '-y', '-loglevel', 'error', '-nostats', '-progress', 'pipe:1']
	const command = [launch.programs.ffmpeg, ...common, ...launch.args]
	const { value, stderr } = await runProgram({ ...launch, command, pipes }, async ([stdout, ...rest]) =>
		// Catches a synchronous error of `read` too, so that both promises are awaited.
		Promise.all([readProgress(stdout, onProgress), Promise.resolve(rest).then(read)]),
	)
	const [{ progress, isEnded }, result] = value
	if (!isEnded) throw new ProgramError('ffmpeg stopped before it was finished', stderr)
	return { value: result, progress, stderr }
}

/** Runs ffprobe and reads its output; stderr reports problems that the output doesn't show. */
export function runFfprobe<T>(
	launch: Launch,
	read: (stdout: Readable) => Promise<T>,
): Promise<{ value: T; stderr: string }> {
	const command = [launch.programs.ffprobe, '-hide_banner', '-loglevel', 'error', ...launch.args]
	return runProgram({ ...launch, command, pipes: 0 }, ([stdout]) => read(stdout))
}

type CommandLaunch = Omit<Launch, 'args' | 'programs'> & {
	programs: Pick<Programs, 'confine'>
	command: readonly string[]
}

/** Runs another program and returns its standard output. */
export async function runCommand(launch: CommandLaunch, maxBytes: number): Promise<string> {
	const { value } = await runProgram({ ...launch, pipes: 0 }, ([stdout]) => readAll(stdout, maxBytes))
	return value.toString('utf8')
}

type ProgramLaunch = CommandLaunch & { pipes: number }
type ReadStreams<T> = (streams: readonly [stdout: Readable, ...pipes: Readable[]]) => Promise<T>

/** Runs a program. When it returns or throws, every process it started has ended. */
async function runProgram<T>(
	{ programs, command, pipes, access, signal, timeoutMs }: ProgramLaunch,
	read: ReadStreams<T>,
): Promise<{ value: T; stderr: string }> {
	signal.throwIfAborted()
	const [program = '', ...args] = programs.confine(command, access)
	const child = spawn(program, args, {
		cwd: access.workDir,
		stdio: ['ignore', 'pipe', 'pipe', ...Array<'pipe'>(pipes).fill('pipe')],
		// In its own process group, so that the sandbox and everything in it can be killed at once.
		detached: true,
	})
	using group = new ProcessGroup(child)
	const ended = endOf(child)
	const name = (command[0] ?? '').split('/').at(-1)
	if (!child.pid) throw new ProgramError(`${name} could not be started: ${(await ended).problem}`, '')
	const stderr = keepTail(child.stderr as Readable)
	const timeout = AbortSignal.timeout(timeoutMs)
	const stop = AbortSignal.any([signal, timeout])
	const kill = () => group.kill()
	stop.addEventListener('abort', kill)

	const streams = [child.stdout as Readable, ...(child.stdio.slice(3) as Readable[])] as const
	const release = keepUnread(streams)
	const reading = read(streams)
		.finally(release)
		.then(
			(value) => ({ value }),
			async (error: unknown) => {
				// A reader at the end of a stream may have seen the program fail; stderr then explains more.
				const sawEnd = streams.some((stream) => stream.readableEnded)
				if (sawEnd) await waitAtMost(ended, EARLY_CLOSE_MS)
				group.kill()
				return { error, isCause: !sawEnd }
			},
		)
	const [end, outcome] = await Promise.all([ended, reading])
	stop.removeEventListener('abort', kill)

	signal.throwIfAborted()
	if (timeout.aborted)
		throw new ProgramTimeoutError(`${name} did not end within ${timeoutMs / 1_000} s`, stderr())
	const failed = 'error' in outcome
	if (failed && (outcome.isCause || group.isKilled)) throw outcome.error
	if (end.code !== 0)
		throw new ProgramError(`${name} ended with ${end.signal ?? `status ${end.code}`}`, stderr())
	if (failed) throw outcome.error
	return { value: outcome.value, stderr: stderr() }
}

type End = { code: number | null; signal: string | null; problem?: string }

/** Resolves after the process and all its streams have closed. */
async function endOf(child: ChildProcess): Promise<End> {
	try {
		const [code, signal] = await once(child, 'close')
		return { code, signal }
	} catch (error) {
		return { code: null, signal: null, problem: describeReason(error) }
	}
}

/**
 * Buffers the output of a program that ends before its reader starts, which Node would discard. The reader must use
 * `for await`: with this listener, 'data' events don't occur.
 */
function keepUnread(streams: readonly Readable[]): () => void {
	const listener = () => {}
	for (const stream of streams) stream.on('readable', listener)
	return () => {
		for (const stream of streams) {
			stream.off('readable', listener)
			// Unread output must not keep the stream open.
			if (stream.listenerCount('readable') === 0) stream.resume()
		}
	}
}

function waitAtMost(ended: Promise<unknown>, ms: number): Promise<unknown> {
	const { promise, resolve } = Promise.withResolvers<void>()
	const timer = setTimeout(resolve, ms)
	return Promise.race([ended, promise]).finally(() => clearTimeout(timer))
}

/** Kills all programs when this process exits; if it is killed, the sandbox does that. */
const groups = new Set<ProcessGroup>()
process.on('exit', () => {
	for (const group of groups) group.kill()
})

class ProcessGroup implements Disposable {
	isKilled = false
	readonly #child: ChildProcess

	constructor(child: ChildProcess) {
		this.#child = child
		groups.add(this)
		// Children of the first process would keep the pipes open.
		child.once('exit', () => this.#signal())
	}

	kill(): void {
		if (this.#child.exitCode === null && this.#child.signalCode === null) {
			this.isKilled = true
			this.#signal()
		}
		// Also after the exit, or a reader that hangs would keep them open.
		for (const stream of this.#child.stdio) stream?.destroy()
	}

	#signal(): void {
		try {
			if (this.#child.pid) process.kill(-this.#child.pid, 'SIGKILL')
		} catch {
			// All processes have ended already.
		}
	}

	[Symbol.dispose](): void {
		this.kill()
		groups.delete(this)
	}
}

function keepTail(stream: Readable): () => string {
	let tail = ''
	stream.setEncoding('utf8').on('data', (text: string) => {
		tail = (tail + text).slice(-STDERR_BYTES)
	})
	return () => tail.trim()
}

export async function readAll(stream: Readable, maxBytes: number): Promise<Buffer> {
	const chunks: Buffer[] = []
	let bytes = 0
	for await (const chunk of stream) {
		bytes += chunk.length
		if (bytes > maxBytes) throw new Error(`the output exceeds ${maxBytes} bytes`)
		chunks.push(chunk)
	}
	return Buffer.concat(chunks)
}
