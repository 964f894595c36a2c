import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Runs the long version of the billing test. 30 stories of customers (trials, 3-D Secure, disputes, downgrades, two
checkouts, cancellations and returns) happen at a stand-in for Stripe, behind the official SDK. Their events arrive in any
order, repeatedly, late or never, and the answers of Stripe take long. Each story must have one end, and nobody may pay twice.

  npm run prove:billing -- [options]

  --runs N    how often all stories happen (default 100)
  --seed N    the seed of the random numbers (default 41)
  --libsql    run on libSQL instead of D1
  --help      show this help
`

const { values } = parseOptions({
	options: {
		runs: { type: 'string', default: '100' },
		seed: { type: 'string', default: '41' },
		libsql: { type: 'boolean', default: false },
		help: { type: 'boolean', short: 'h' },
	},
})
if (values.help) {
	console.log(help)
} else if (![values.runs, values.seed].every((text) => /^[1-9]\d{0,8}$/.test(text))) {
	console.error('--runs and --seed must be whole numbers from 1; see --help.')
	process.exitCode = 2
} else {
	await runLongTests({
		testTimeoutMs: 3_600_000,
		project: values.libsql ? 'edge-libsql' : 'edge',
		files: ['test/edge/accounts/billing/stories.edge.test.ts'],
		env: { PROOF_BILLING_RUNS: values.runs, PROOF_BILLING_SEED: values.seed },
	})
}
