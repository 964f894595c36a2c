import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Backs databases up while 200 writers change them, the long version of a test. What a backup holds must be the state after
one of the writes. Also ends the Worker before every kind of statement of a backup. On D1 and on libSQL. Also writes a zip
of more than 4 GiB into the folder for temporary files, and reads it with unzip and as a restore does.

  npm run prove:backups -- [options]

  --seeds N  random worlds on each database (default 50)
  --help     show this help
`

const { values } = parseOptions({
	options: { seeds: { type: 'string', default: '50' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) {
	console.log(help)
} else if (!/^[1-9]\d{0,3}$/.test(values.seeds)) {
	console.error('--seeds must be a whole number from 1 to 9999; see --help.')
	process.exitCode = 2
} else {
	for (const project of ['edge', 'edge-libsql'] as const) {
		await runLongTests({
			project,
			files: [
				'test/edge/operations/backups/writers.edge.test.ts',
				'test/edge/operations/backups/backups.edge.test.ts',
			],
			env: { PROOF_SEEDS: values.seeds },
			testTimeoutMs: 0,
		})
		if (process.exitCode !== 0) break
	}
	if (process.exitCode === 0)
		await runLongTests({
			files: ['test/edge/operations/backups/download/zip.node.test.ts'],
			env: { PROOF_ZIP: '4 GiB' },
			testTimeoutMs: 0,
		})
}
