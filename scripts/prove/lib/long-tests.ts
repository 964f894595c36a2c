import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../lib/root.ts'
import { readReport, reporters } from '../../test/run-report.ts'
import { countTests, describeSkipped } from '../../test/summary.ts'

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

/**
 * Runs the long version of tests, on libSQL also those with the tag `d1`, prints what they print and what was skipped, and
 * ends this process with their result. It fails if no test ran.
 */
export async function runLongTests({
	project = 'node',
	files,
	env,
	testTimeoutMs,
	options = [],
}: LongTests): Promise<void> {
	const timeout = testTimeoutMs === undefined ? [] : ['--testTimeout', String(testTimeoutMs)]
	const args = ['run', ...reporters, '--project', project, ...files, ...timeout, ...options]
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-proof-'))
	const reportPath = join(directory, 'report.json')
	try {
		const run = spawn(process.execPath, [vitest, ...args, '--disable-console-intercept'], {
			cwd: root,
			stdio: 'inherit',
			env: { ...process.env, LIBSQL_RUNS_ALL: '1', TEST_REPORT_PATH: reportPath, ...env },
		})
		// Otherwise a signal would end this process before it deletes the folder.
		for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.kill(signal))
		const [code]: (number | null)[] = await once(run, 'exit')
		const report = await readReport(reportPath)
		if (report) for (const line of describeSkipped(report, options.includes('-t'))) console.log(line)
		const { passed } = countTests(report, code ?? 1)
		if (passed === 0) console.error('No test passed, so nothing is proved.')
		process.exitCode = code === 0 && passed === 0 ? 1 : (code ?? 1)
	} finally {
		await rm(directory, { recursive: true, force: true })
	}
}
