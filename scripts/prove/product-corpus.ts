import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const root = join(import.meta.dirname, '..', '..')
const clips = process.env.PLAYHOUSE_MEDIA_DIR ?? join(root, '..', 'shared', 'media')

const help = `The product as people have it, at length: npm start, and every input of the corpus from its upload to the browser.
For each: all rungs have as many frames as one encode in one go, in their order, without a gap; sound and picture begin
and end together; the playlists keep the rules; and many are played by hls.js in Chromium from the first to the last
second. Then what is hostile: playlists, scripts, bombs and damaged files end in an error that people understand, no
other file or address is touched, and the machine lives on. Half an hour or more; prints a table.

  node scripts/prove/product-corpus.ts [options]

  --only NAME   inputs of the corpus that have this in their name, and nothing hostile
  --hostile     the hostile part alone
  --help        this text

PLAYHOUSE_MEDIA_DIR may name a folder of real clips, which are then taken too${existsSync(clips) ? ` (${clips})` : ''}.
`

const { values } = parseArgs({
	options: {
		only: { type: 'string' },
		hostile: { type: 'boolean' },
		help: { type: 'boolean', short: 'h' },
	},
})
if (values.help) {
	console.log(help)
} else {
	const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
	const parts = values.hostile ? ['hostile'] : values.only ? ['corpus'] : ['corpus', 'hostile']
	const files = parts.map((part) => `test/node/e2e/product/${part}.test.ts`)
	const args = ['run', '--project', 'node', ...files, '--no-file-parallelism', '--disable-console-intercept']
	const run = spawn(process.execPath, [vitest, ...args], {
		cwd: root,
		stdio: 'inherit',
		env: {
			...process.env,
			PRODUCT_CORPUS: 'all',
			...(values.only && { PRODUCT_ONLY: values.only }),
			...(existsSync(clips) && { PLAYHOUSE_MEDIA_DIR: clips }),
		},
	})
	const [code] = await once(run, 'exit')
	process.exitCode = code ?? 1
}
