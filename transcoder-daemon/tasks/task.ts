import type { TaskKind, TaskResultByKind, TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import type { Log } from '../log.ts'
import type { SpeechEngine } from '../speech/engine.ts'

/** Stores a task's outputs. Uploads run while the task continues; `flush` waits for all of them. */
export type Outputs = {
	/** Waits while too many uploads are in flight, so that memory stays bounded. */
	put(name: string, bytes: Uint8Array): Promise<void>
	putFile(name: string, path: string): Promise<{ bytes: number }>
	/** Stores one large output in parts. */
	putInParts(path: string): Promise<{ bytes: number; parts: { partNumber: number; etag: string }[] }>
	/** Stores a stream in parts, with at most three parts in memory. */
	putStream(
		chunks: AsyncIterable<Uint8Array>,
	): Promise<{ bytes: number; parts: { partNumber: number; etag: string }[] }>
	/** Waits until every output is stored; throws the error of an upload that failed for good. */
	flush(): Promise<void>
}

/** What a program may read, and where it may write. */
export type Access = { workDir: string; readable: readonly string[] }

export type Programs = {
	ffmpeg: string
	ffprobe: string
	/** Wraps a command line in the sandbox and its limits. */
	confine(command: readonly string[], access: Access): readonly string[]
}

/** Everything that a task receives besides its specification. */
export type TaskContext = {
	programs: Programs
	/** Proved encoders and hardware decoders of this machine, with the devices of encoders that need one. */
	proved: {
		encoders: readonly string[]
		decoders: readonly string[]
		devices: Readonly<Record<string, string>>
	}
	threads: number
	/** The proved speech engine; null if there is none. */
	speech: SpeechEngine | null
	/** The time limit of the task. */
	deadlineSec: number
	/** Path of the complete source on disk; null for tasks without one. */
	sourcePath: string | null
	/** A private folder, empty at the start and deleted at the end. */
	workDir: string
	outputs: Outputs
	/** Reads an object that the edge named, for tasks that use the results of others. */
	fetchObject(url: string): Promise<Buffer>
	/** Reports progress from 0 to 1; lower values are ignored. */
	progress(share: number): void
	/**
	 * Aborted when the lease is lost, the machine stops, or the deadline passes. Everything the task started must then
	 * end.
	 */
	signal: AbortSignal
	log: Log
}

export type RunTask<K extends TaskKind> = (
	spec: TaskSpecByKind<K>,
	context: TaskContext,
) => Promise<TaskResultByKind<K>>

/** A fault of the source on every machine; `message` is for its owner. Any other error is retried. */
export class SourceError extends Error {
	override name = 'SourceError'
	readonly detail: string | undefined
	constructor(message: string, detail?: string) {
		super(message)
		this.detail = detail
	}
}
