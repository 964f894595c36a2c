import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseOptions } from '../lib/command-options.ts'

const help = `Corrupts videos of every container, a few bits at a time, the long version of a test. Each file must play or be rejected
with a message that people understand. Every run makes the same changes.

  npm run prove:hostile -- [options]

  --mutations N   corrupted files (default 240)
  --help          show this help
`

const { values } = parseOptions({
	options: { mutations: { type: 'string', default: '240' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) {
	console.log(help)
} else if (!/^[1-9]\d{0,5}$/.test(values.mutations)) {
	console.error('--mutations must be a whole number; see --help.')
	process.exitCode = 2
} else {
	const root = join(import.meta.dirname, '..', '..')
	const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
	const args = [vitest, 'run', '--project', 'node', 'test/transcoder-daemon/tasks/hostile.node.test.ts']
	const run = spawn(process.execPath, [...args, '--testTimeout', '36000000'], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, MUTATIONS: values.mutations },
	})
	const [code] = await once(run, 'exit')
	process.exitCode = code ?? 1
}
