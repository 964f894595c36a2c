import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')

export type LongTests = {
	project?: 'node' | 'edge' | 'edge-libsql'
	/** Paths from the root of the repository. */
	files: readonly string[]
	/** Makes the tests run their long version. */
	env: Record<string, string>
	/** More options of vitest. */
	options?: readonly string[]
}

/** Runs the long version of tests, prints what they print, and ends this process with their result. */
export async function runLongTests({ project = 'node', files, env, options = [] }: LongTests): Promise<void> {
	const args = ['run', '--project', project, ...files, '--testTimeout', '0', ...options]
	const run = spawn(process.execPath, [vitest, ...args, '--disable-console-intercept'], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, ...env },
	})
	const [code] = await once(run, 'exit')
	process.exitCode = code ?? 1
}
