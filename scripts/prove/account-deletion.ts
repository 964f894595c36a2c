import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const help = `The long form of a simulation that the tests run in short: 40 days of account deletions at random instants, with a
daily job that runs not at all, once or three times, and mails that fail. Then someone with 20,000 posts, 50,000
comments, 200 memberships and 10 organizations is deleted, and it is told how long others had to wait meanwhile.

  node scripts/prove/account-deletion.ts [options]

  --requests N   people who ask for their deletion; 5000 unless told
  --libsql       on libSQL instead of D1
  --help         this text
`

const { values } = parseArgs({
	options: {
		requests: { type: 'string', default: '5000' },
		libsql: { type: 'boolean', default: false },
		help: { type: 'boolean', short: 'h' },
	},
})
if (values.help) {
	console.log(help)
} else if (!/^[1-9]\d{0,5}$/.test(values.requests)) {
	console.error('--requests takes a whole number; --help says more.')
	process.exitCode = 2
} else {
	const root = join(import.meta.dirname, '..', '..')
	const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
	const project = values.libsql ? 'edge-libsql' : 'edge'
	const tests = ['simulation', 'large-person'].map((name) => `test/edge/account-deletion/${name}.test.ts`)
	// One after the other, so that neither waits for the other.
	const options = ['--no-file-parallelism', '--testTimeout', '0', '--disable-console-intercept']
	const run = spawn(process.execPath, [vitest, 'run', '--project', project, ...tests, ...options], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, SIMULATED_REQUESTS: values.requests },
	})
	const [code] = await once(run, 'exit')
	process.exitCode = code ?? 1
}
