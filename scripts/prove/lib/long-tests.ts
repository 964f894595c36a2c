import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')

export type LongTests = {
	project?: 'unit' | 'node' | 'edge' | 'edge-libsql'
	/** Paths from the root of the repository; none for all of the project. */
	files: readonly string[]
	/** The variables that select the long version. */
	env: Record<string, string>
	/** For tests that set no limit themselves; 0 for none. By default that of the configuration. */
	testTimeoutMs?: number
	/** More options of vitest. */
	options?: readonly string[]
}

/** Runs the long version of tests, on libSQL also those with the tag `d1`, prints what they print, and ends this process with their result. */
export async function runLongTests({
	project = 'node',
	files,
	env,
	testTimeoutMs,
	options = [],
}: LongTests): Promise<void> {
	const timeout = testTimeoutMs === undefined ? [] : ['--testTimeout', String(testTimeoutMs)]
	const args = ['run', '--project', project, ...files, ...timeout, ...options, '--disable-console-intercept']
	const run = spawn(process.execPath, [vitest, ...args], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, LIBSQL_RUNS_ALL: '1', ...env },
	})
	const [code] = await once(run, 'exit')
	process.exitCode = code ?? 1
}
