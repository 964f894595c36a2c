import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseOptions } from '../lib/command-options.ts'
import { root } from '../lib/root.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Tries each property of the unit tests, and those of whole requests, histories of jobs and restores, with many
more random inputs than \`npm test\` does. A failure prints the seed that causes it.

  npm run prove:properties -- [options]

  --factor N        how many times as many inputs (default 100)
  --slow-factor N   the same for tests of the Worker and of programs (default 10)
  --help            show this help
`

const { values } = parseOptions({
	options: {
		factor: { type: 'string', default: '100' },
		'slow-factor': { type: 'string', default: '10' },
		help: { type: 'boolean', short: 'h' },
	},
})
const slow = values['slow-factor']
const factors = { unit: values.factor, edge: slow, node: slow }
if (values.help) {
	console.log(help)
} else if (!Object.values(factors).every((factor) => /^[1-9]\d{0,4}$/.test(factor))) {
	console.error('--factor and --slow-factor must be whole numbers from 1 to 99999; see --help.')
	process.exitCode = 2
} else {
	const withProperties = (pattern: string) =>
		globSync(pattern, { cwd: root }).filter((path) =>
			readFileSync(join(root, path), 'utf8').includes('/property-runs.ts'),
		)
	const files = {
		unit: [],
		edge: withProperties('test/**/*.edge.test.ts'),
		node: withProperties('test/**/*.node.test.ts'),
	}
	for (const project of ['unit', 'edge', 'node'] as const) {
		await runLongTests({
			project,
			files: files[project],
			env: { PROPERTY_RUNS_FACTOR: factors[project] },
			testTimeoutMs: 0,
		})
		if (process.exitCode !== 0) break
	}
}
