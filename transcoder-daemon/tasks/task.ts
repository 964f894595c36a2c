import type { TaskKind, TaskResultOf, TaskSpecOf } from '#schema/contract/tasks.ts'
import type { Log } from '../log.ts'

/** Where a task puts what it makes. All of it is sent while the work goes on, and all of it by the time of `settled`. */
export type Outputs = {
	/** Waits while too much is on its way already, so that memory stays bounded. */
	put(name: string, bytes: Uint8Array): Promise<void>
	putFile(name: string, path: string): Promise<{ bytes: number }>
	/** One large output, in parts. */
	putInParts(path: string): Promise<{ bytes: number; parts: { partNumber: number; etag: string }[] }>
	/** The same of bytes that lie nowhere: at most three parts are in memory. */
	putStream(
		chunks: AsyncIterable<Uint8Array>,
	): Promise<{ bytes: number; parts: { partNumber: number; etag: string }[] }>
	/** Until all that was put is stored; throws what made one fail for good. */
	settled(): Promise<void>
}

/** How a program is started: what it may read, and where it may write. */
export type Access = { workDir: string; readable: readonly string[] }

export type Programs = {
	ffmpeg: string
	ffprobe: string
	/** Puts a sandbox and limits around a command line. */
	confine(command: readonly string[], access: Access): readonly string[]
}

/** What a task has besides its specification. */
export type TaskContext = {
	programs: Programs
	/** What this machine proved: encoders, ways of decoding, and the device of encoders that are told one. */
	proved: {
		encoders: readonly string[]
		decoders: readonly string[]
		devices: Readonly<Record<string, string>>
	}
	threads: number
	/** The source on this machine's disk, complete; null for tasks that need none. */
	sourcePath: string | null
	/** Private to this run, empty at the beginning, gone after it. */
	workDir: string
	outputs: Outputs
	/** An object that the edge named, for tasks that begin from what others made. */
	fetchObject(url: string): Promise<Buffer>
	/** 0 to 1. Never goes back. */
	progress(share: number): void
	/** The lease is lost, the machine stops, or the time is over: everything that was started must end. */
	signal: AbortSignal
	log: Log
}

export type RunTask<K extends TaskKind> = (
	spec: TaskSpecOf<K>,
	context: TaskContext,
) => Promise<TaskResultOf<K>>

/** The source is at fault, whoever tries: `message` is for its owner. Any other error is worth another try. */
export class SourceError extends Error {
	override name = 'SourceError'
	readonly detail: string | undefined
	constructor(message: string, detail?: string) {
		super(message)
		this.detail = detail
	}
}
