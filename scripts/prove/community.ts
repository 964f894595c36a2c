import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const help = `The long form of what the tests do in short: random operations on a community, after which every counter must equal its
rows and every place at an event be whose turn it was; and communities made at random, of which whoever asks must be
told what the rules say, record by record. The same numbers in every run.

  node scripts/prove/community.ts [options]

  --operations N   random operations; 10000 unless told, 0 leaves them out
  --seeds N        communities made at random; 50 unless told, 0 leaves them out
  --libsql         on libSQL instead of D1
  --help           this text
`

const { values } = parseArgs({
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
	console.error('--operations and --seeds take whole numbers; --help says more.')
	process.exitCode = 2
} else {
	const root = join(import.meta.dirname, '..', '..')
	const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
	const files = [
		...(Number(values.operations) > 0 ? ['test/edge/community/property.test.ts'] : []),
		...(Number(values.seeds) > 0 ? ['test/edge/community/fuzz.test.ts'] : []),
	]
	const args = [vitest, 'run', '--project', values.libsql ? 'edge-libsql' : 'edge', ...files]
	const run = spawn(process.execPath, [...args, '--testTimeout', '3600000', '--disable-console-intercept'], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, PROOF_OPERATIONS: values.operations, PROOF_SEEDS: values.seeds },
	})
	const [code] = await once(run, 'exit')
	process.exitCode = code ?? 1
}
