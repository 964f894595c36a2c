import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Deleted = Disposable & { path: string }

/** Deletes files or folders when the result is disposed of, or when the process ends before, also by a signal. */
export function deleteAtEnd(path: string, ...more: string[]): Deleted {
	const remove = () => {
		for (const each of [path, ...more]) rmSync(each, { recursive: true, force: true })
	}
	const end = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal])
	// Miniflare handles signals as well, and may end the process before `end` is called.
	process.on('exit', remove)
	for (const signal of signals) process.on(signal, end)
	return {
		path,
		[Symbol.dispose]() {
			process.off('exit', remove)
			for (const signal of signals) process.off(signal, end)
			remove()
		},
	}
}

/** Creates a folder that only this user can read, and that is deleted at the end. */
export const openTemporaryFolder = async (prefix: string): Promise<Deleted> =>
	deleteAtEnd(await mkdtemp(join(tmpdir(), prefix)))
