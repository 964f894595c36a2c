import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Outputs, TaskContext } from '../../../../transcoder-daemon/tasks/task.ts'
import { programs } from '../ffmpeg/programs.ts'

export type Stored = { outputs: Outputs; dir: string; names: string[] }

/** Outputs that lie in a folder. */
export function storeIn(dir: string): Stored {
	const names: string[] = []
	const put = async (name: string, bytes: Uint8Array) => {
		await mkdir(dirname(join(dir, name)), { recursive: true })
		await writeFile(join(dir, name), bytes)
		names.push(name)
	}
	const inParts = async (name: string, bytes: Uint8Array) => {
		await put(name, bytes)
		return { bytes: bytes.length, parts: [{ partNumber: 1, etag: '"1"' }] }
	}
	const outputs = {
		put,
		async putFile(name: string, path: string) {
			const bytes = await readFile(path)
			await put(name, bytes)
			return { bytes: bytes.length }
		},
		putInParts: async (path: string) => inParts('parts', await readFile(path)),
		async putStream(chunks: AsyncIterable<Uint8Array>) {
			const all: Uint8Array[] = []
			for await (const chunk of chunks) all.push(chunk)
			return inParts('parts', Buffer.concat(all))
		},
		settled: async () => {},
	}
	return { dir, names, outputs }
}

export async function contextOf(
	dir: string,
	sourcePath: string | null,
	more: Partial<TaskContext> = {},
): Promise<TaskContext> {
	return {
		programs,
		proved: { encoders: ['libx264'], decoders: [], devices: {} },
		threads: 2,
		sourcePath,
		workDir: await mkdtemp(join(dir, 'work-')),
		outputs: storeIn(await mkdtemp(join(dir, 'stored-'))).outputs,
		fetchObject: () => Promise.reject(new Error('nothing is fetched here')),
		progress: () => {},
		signal: new AbortController().signal,
		log: { info: () => {}, warn: () => {}, error: () => {} },
		...more,
	}
}
