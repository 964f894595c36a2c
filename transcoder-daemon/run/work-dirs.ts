import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Opens the private folders of tasks. Deletes the folders of an earlier run, which no task can use. */
export async function openWorkDirs(root: string) {
	await rm(root, { recursive: true, force: true })
	await mkdir(root, { recursive: true, mode: 0o700 })
	return {
		async make(name: string): Promise<AsyncDisposable & { path: string }> {
			const path = join(root, name)
			await rm(path, { recursive: true, force: true })
			await mkdir(path, { mode: 0o700 })
			return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
		},
	}
}

export type WorkDirs = Awaited<ReturnType<typeof openWorkDirs>>
