import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

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
	await runLongTests({
		testTimeoutMs: 36_000_000,
		files: ['test/transcoder-daemon/tasks/hostile.node.test.ts'],
		env: { MUTATIONS: values.mutations },
	})
}
