import { readFile } from 'node:fs/promises'
import { requireKnownArguments } from '../../../transcoder-daemon/ffmpeg/known-arguments.ts'
import type { Outputs, TaskContext } from '../../../transcoder-daemon/tasks/task.ts'
import { programs } from '../ffmpeg/programs.ts'
import { memoryLog } from '../memory-log.ts'

/** Keeps a task's outputs in memory, in order. */
export class MemoryOutputs implements Outputs {
	readonly stored = new Map<string, Buffer>()

	async put(name: string, bytes: Uint8Array): Promise<void> {
		this.stored.set(name, Buffer.from(bytes))
	}

	async putFile(name: string, path: string): Promise<{ bytes: number }> {
		const bytes = await readFile(path)
		this.stored.set(name, bytes)
		return { bytes: bytes.length }
	}

	async putInParts(_path?: string): Promise<never> {
		throw new Error('these tests store nothing in parts')
	}

	async putStream(): Promise<never> {
		throw new Error('these tests store no stream')
	}

	async flush(): Promise<void> {}
}

/** Checks arguments as the daemon does. */
const withCheckedArguments = (programs: TaskContext['programs']): TaskContext['programs'] => ({
	...programs,
	confine: (command, access) => programs.confine(requireKnownArguments(command, access), access),
})

export function taskContext(
	sourcePath: string,
	workDir: string,
	{ programs: taskPrograms = programs, ...more }: Partial<TaskContext> = {},
): TaskContext & { outputs: Outputs } {
	return {
		programs: withCheckedArguments(taskPrograms),
		proved: { encoders: ['libx264', 'libx265', 'libsvtav1'], decoders: [], devices: {} },
		speech: null,
		deadlineSec: 600,
		threads: 2,
		sourcePath,
		workDir,
		outputs: new MemoryOutputs(),
		fetchObject: async (url) => {
			throw new Error(`these tests fetch no object, but the task requested ${url}`)
		},
		progress: () => {},
		signal: new AbortController().signal,
		log: memoryLog().log,
		...more,
	}
}
