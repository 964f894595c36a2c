import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseOptions } from '../lib/command-options.ts'
import { root } from '../lib/root.ts'
import { runLongTests } from './lib/long-tests.ts'

const clips = process.env.PLAYHOUSE_MEDIA_DIR ?? join(root, '..', 'shared', 'media')

const help = `Runs npm start and sends every input of the corpus from upload to browser. For each input, every rendition must have the
same frames as a single encode, in order and without gaps. Audio and video must start and end together, and the
playlists must pass the HLS validator. hls.js in Chromium plays many of them to the end. Then uploads hostile files:
playlists, scripts, decompression bombs and damaged files. They must end in a message that people understand, must not
access other files or URLs, and must not stop the machine. Takes half an hour or more and prints a table.

  npm run prove:product-corpus -- [options]

  --only NAME   only inputs whose name contains NAME, without the hostile files
  --hostile     only the hostile files
  --help        show this help

If PLAYHOUSE_MEDIA_DIR names a folder of real clips, they are included${existsSync(clips) ? ` (${clips})` : ''}.
`

const { values } = parseOptions({
	options: {
		only: { type: 'string' },
		hostile: { type: 'boolean' },
		help: { type: 'boolean', short: 'h' },
	},
})
if (values.help) {
	console.log(help)
} else {
	if (!existsSync(clips)) console.log('Without real clips: PLAYHOUSE_MEDIA_DIR names no folder of them.')
	const parts = values.hostile ? ['hostile'] : values.only ? ['corpus'] : ['corpus', 'hostile']
	await runLongTests({
		files: parts.map((part) => `test/e2e/product/${part}.node.test.ts`),
		options: ['--no-file-parallelism'],
		env: {
			PRODUCT_CORPUS: 'all',
			...(values.only && { PRODUCT_ONLY: values.only }),
			...(existsSync(clips) && { PLAYHOUSE_MEDIA_DIR: clips }),
		},
	})
}
