import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const help = `The long form of what the tests look at in short: whether the doors to sign in take as long for an address that
has an account as for one that has none. Pairs of requests, known and unknown in turns, with passwords at their real
cost; judged is how often the known one took longer, which the noise of a busy machine does not change.

  node scripts/prove/enumeration.ts [options]

  --pairs N   pairs of requests at each door; 300 unless told
  --help      this text
`

const { values } = parseArgs({
	options: { pairs: { type: 'string', default: '300' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) {
	console.log(help)
} else if (!/^[1-9]\d{0,4}$/.test(values.pairs)) {
	console.error('--pairs takes a whole number; --help says more.')
	process.exitCode = 2
} else {
	const root = join(import.meta.dirname, '..', '..')
	const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
	const args = [vitest, 'run', '--project', 'node', 'test/node/identity/enumeration.test.ts']
	const run = spawn(process.execPath, [...args, '--testTimeout', '3600000', '--disable-console-intercept'], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, ENUMERATION_PAIRS: values.pairs },
	})
	const [code] = await once(run, 'exit')
	process.exitCode = code ?? 1
}
