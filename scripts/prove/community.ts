import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Runs the long versions of the community tests: random operations, after which every counter must equal its rows and
every place at an event must belong to the next member in line; random communities, in which every member must see
exactly what the rules allow; and hundreds of concurrent calls. Every run uses the same random numbers.

  npm run prove:community -- [options]

  --operations N   random operations (default 10000; 0 skips them)
  --seeds N        random communities (default 50; 0 skips them)
  --libsql         run on libSQL instead of D1
  --help           show this help
`

const { values } = parseOptions({
	options: {
		operations: { type: 'string', default: '10000' },
		seeds: { type: 'string', default: '50' },
		libsql: { type: 'boolean', default: false },
		help: { type: 'boolean', short: 'h' },
	},
})
if (values.help) {
	console.log(help)
} else if (![values.operations, values.seeds].every((text) => /^\d{1,6}$/.test(text))) {
	console.error('--operations and --seeds must be whole numbers; see --help.')
	process.exitCode = 2
} else {
	await runLongTests({
		testTimeoutMs: 3_600_000,
		project: values.libsql ? 'edge-libsql' : 'edge',
		files: [
			'test/edge/community/concurrency.edge.test.ts',
			...(Number(values.operations) > 0 ? ['test/edge/community/property.edge.test.ts'] : []),
			...(Number(values.seeds) > 0 ? ['test/edge/community/fuzz.edge.test.ts'] : []),
		],
		env: { PROOF_OPERATIONS: values.operations, PROOF_SEEDS: values.seeds },
	})
}
