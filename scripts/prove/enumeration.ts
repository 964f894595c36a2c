import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Checks that the sign-in endpoints take as long for an address with an account as for an unknown one, the long version of
a test. Sends pairs of requests, known and unknown in turns, with real password hashing. The result is how often the
known address took longer, because noise on a busy machine does not change that.

  npm run prove:enumeration -- [options]

  --pairs N   pairs of requests per endpoint (default 300)
  --help      show this help
`

const { values } = parseOptions({
	options: { pairs: { type: 'string', default: '300' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) {
	console.log(help)
} else if (!/^[1-9]\d{0,4}$/.test(values.pairs)) {
	console.error('--pairs must be a whole number; see --help.')
	process.exitCode = 2
} else {
	await runLongTests({
		testTimeoutMs: 3_600_000,
		files: ['test/edge/accounts/identity/enumeration.node.test.ts'],
		env: { ENUMERATION_PAIRS: values.pairs },
	})
}
