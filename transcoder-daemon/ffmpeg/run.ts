import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { reasonOf } from '../log.ts'
import type { Access, Programs } from '../tasks/task.ts'
import { type Progress, readProgress } from './progress.ts'

/** As much of what a program complains about as helps anyone; a damaged file makes it complain for ever. */
const STDERR_BYTES = 16_384
/** So long a program that closed a pipe too early is let end by itself. */
const OWN_END_MS = 1_000

export type Launch = {
	programs: Programs
	args: readonly string[]
	access: Access
	signal: AbortSignal
	timeoutMs: number
}

/** It ended badly by itself; `stderr` is the end of what it said. */
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
	/** Outputs that are read while they are made: `pipe:3`, `pipe:4`, … */
	pipes?: number
	onProgress?: (progress: Progress) => void
}

/**
 * Runs ffmpeg and reads its pipes, both to their ends. Neither its status nor the absence of complaints says that
 * it did its work: whoever calls counts what came out.
 */
export async function runFfmpeg<T>(
	{ pipes = 0, onProgress = () => {}, ...launch }: FfmpegLaunch,
	read: (pipes: readonly Readable[]) => Promise<T>,
): Promise<{ value: T; progress: Progress; stderr: string }> {
	const common = ['-hide_banner', '-nostdin', '-y', '-loglevel', 'error', '-nostats', '-progress', 'pipe:1']
	const command = [launch.programs.ffmpeg, ...common, ...launch.args]
	const { value, stderr } = await runProgram({ ...launch, command, pipes }, async ([stdout, ...rest]) =>
		// Also what `read` throws at once must leave nobody alone with the other.
		Promise.all([readProgress(stdout, onProgress), Promise.resolve(rest).then(read)]),
	)
	const [{ progress, isEnded }, result] = value
	if (!isEnded) throw new ProgramError('ffmpeg stopped before its end', stderr)
	return { value: result, progress, stderr }
}

/** Runs ffprobe and reads what it prints; its complaints say what the list itself does not show. */
export function runFfprobe<T>(
	launch: Launch,
	read: (stdout: Readable) => Promise<T>,
): Promise<{ value: T; stderr: string }> {
	const command = [launch.programs.ffprobe, '-hide_banner', '-loglevel', 'error', ...launch.args]
	return runProgram({ ...launch, command, pipes: 0 }, ([stdout]) => read(stdout))
}

type Started = Omit<Launch, 'args'> & { command: readonly string[]; pipes: number }
type Reads<T> = (streams: readonly [stdout: Readable, ...pipes: Readable[]]) => Promise<T>

/** By the time it returns or throws, every process that it started is gone. */
async function runProgram<T>(
	{ programs, command, pipes, access, signal, timeoutMs }: Started,
	read: Reads<T>,
): Promise<{ value: T; stderr: string }> {
	signal.throwIfAborted()
	const [program = '', ...args] = programs.confine(command, access)
	const child = spawn(program, args, {
		cwd: access.workDir,
		stdio: ['ignore', 'pipe', 'pipe', ...Array<'pipe'>(pipes).fill('pipe')],
		// Of its own group, so that a sandbox and all that runs in it can be killed at once.
		detached: true,
	})
	using group = new Group(child)
	const ended = endOf(child)
	const name = (command[0] ?? '').split('/').at(-1)
	if (!child.pid) throw new ProgramError(`${name} could not be started: ${(await ended).problem}`, '')
	const stderr = keepTail(child.stderr as Readable)
	const timeout = AbortSignal.timeout(timeoutMs)
	const stop = AbortSignal.any([signal, timeout])
	const kill = () => group.kill()
	stop.addEventListener('abort', kill)

	const streams = [child.stdout as Readable, ...(child.stdio.slice(3) as Readable[])] as const
	const reading = read(streams).then(
		(value) => ({ value }),
		async (error: unknown) => {
			// Whoever read to an end has perhaps seen the program die, whose own words then say more.
			const sawEnd = streams.some((stream) => stream.readableEnded)
			if (sawEnd) await endsWithin(ended, OWN_END_MS)
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

/** After the process and all its streams. */
async function endOf(child: ChildProcess): Promise<End> {
	try {
		const [code, signal] = await once(child, 'close')
		return { code, signal }
	} catch (error) {
		return { code: null, signal: null, problem: reasonOf(error) }
	}
}

function endsWithin(ended: Promise<unknown>, ms: number): Promise<unknown> {
	const { promise, resolve } = Promise.withResolvers<void>()
	const timer = setTimeout(resolve, ms)
	return Promise.race([ended, promise]).finally(() => clearTimeout(timer))
}

/** Nothing of ours outlives this process when it exits; when it is killed, the sandbox sees to that. */
const groups = new Set<Group>()
process.on('exit', () => {
	for (const group of groups) group.kill()
})

class Group implements Disposable {
	isKilled = false
	readonly #child: ChildProcess

	constructor(child: ChildProcess) {
		this.#child = child
		groups.add(this)
		// What the first process left behind would hold the pipes open.
		child.once('exit', () => this.#signal())
	}

	kill(): void {
		if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
		this.isKilled = true
		this.#signal()
		for (const stream of this.#child.stdio) stream?.destroy()
	}

	#signal(): void {
		try {
			if (this.#child.pid) process.kill(-this.#child.pid, 'SIGKILL')
		} catch {
			// All gone already.
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
		if (bytes > maxBytes) throw new Error(`more than ${maxBytes} bytes were printed`)
		chunks.push(chunk)
	}
	return Buffer.concat(chunks)
}
