import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const help = `The long form of a simulation that the tests run in short: 40 days of account deletions at random instants, with a
daily job that runs not at all, once or three times, and mails that fail.

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
	const args = [vitest, 'run', '--project', project, 'test/edge/account-deletion/simulation.test.ts']
	const run = spawn(process.execPath, [...args, '--testTimeout', '3600000', '--disable-console-intercept'], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, SIMULATED_REQUESTS: values.requests },
	})
	const [code] = await once(run, 'exit')
	process.exitCode = code ?? 1
}
