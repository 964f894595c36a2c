import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

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
	await runLongTests({
		testTimeoutMs: 0,
		project: values.libsql ? 'edge-libsql' : 'edge',
		// One after the other, so that they do not slow each other down.
		options: ['--no-file-parallelism'],
		files: ['simulation', 'large-person', 'execution'].map(
			(name) => `test/edge/operations/account-deletion/execute/${name}.edge.test.ts`,
		),
		env: { SIMULATED_REQUESTS: values.requests },
	})
}
