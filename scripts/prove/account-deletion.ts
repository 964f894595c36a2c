import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseOptions } from '../lib/command-options.ts'

const help = `Simulates 40 days of account deletions at random times, the long version of a test. The daily job is skipped, or runs
once or three times, and mails fail. Then deletes a user with 20,000 posts, 50,000 comments, 200 memberships and 10
organizations, and prints how long other requests waited meanwhile.

  npm run prove:account-deletion -- [options]

  --requests N   deletion requests (default 5000)
  --libsql       run on libSQL instead of D1
  --help         show this help
`

const { values } = parseOptions({
	options: {
		requests: { type: 'string', default: '5000' },
		libsql: { type: 'boolean', default: false },
		help: { type: 'boolean', short: 'h' },
	},
})
if (values.help) {
	console.log(help)
} else if (!/^[1-9]\d{0,5}$/.test(values.requests)) {
	console.error('--requests must be a whole number; see --help.')
	process.exitCode = 2
} else {
	const root = join(import.meta.dirname, '..', '..')
	const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
	const project = values.libsql ? 'edge-libsql' : 'edge'
	const tests = ['simulation', 'large-person', 'execution'].map(
		(name) => `test/edge/account-deletion/execute/${name}.edge.test.ts`,
	)
	// Sequential, so that the two files do not slow each other down.
	const options = ['--no-file-parallelism', '--testTimeout', '0', '--disable-console-intercept']
	const run = spawn(process.execPath, [vitest, 'run', '--project', project, ...tests, ...options], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, SIMULATED_REQUESTS: values.requests },
	})
	const [code] = await once(run, 'exit')
	process.exitCode = code ?? 1
}
