import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const help = `The long form of what the tests do in short: damages videos of every container, some bits at a time, and looks that
each is refused in words that people understand, or played; the same damage at every run.

  node scripts/prove/hostile.ts [options]

  --mutations N   damaged files; 240 unless told
  --help          this text
`

const { values } = parseArgs({
	options: { mutations: { type: 'string', default: '240' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) {
	console.log(help)
} else if (!/^[1-9]\d{0,5}$/.test(values.mutations)) {
	console.error('--mutations takes a whole number; --help says more.')
	process.exitCode = 2
} else {
	const root = join(import.meta.dirname, '..', '..')
	const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
	const args = [vitest, 'run', '--project', 'node', 'test/node/transcoder-daemon/tasks/hostile.test.ts']
	const run = spawn(process.execPath, [...args, '--testTimeout', '36000000'], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, MUTATIONS: values.mutations },
	})
	const [code] = await once(run, 'exit')
	process.exitCode = code ?? 1
}
