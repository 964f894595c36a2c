import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a directory that is deleted after the test. */
export async function temporaryDirectory(): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'playhouse-scripts-'))
	onTestFinished(() => rm(path, { recursive: true, force: true }))
	return path
}
