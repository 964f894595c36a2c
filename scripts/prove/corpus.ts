import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Encodes every input of the corpus, including ten minutes of video, in H.264, HEVC and AV1, the long version of a test.
Every frame must appear once, in order, similar to its source and in sync with the audio. Prints the similarity.

  npm run prove:corpus -- [options]

  --only NAME   only inputs whose test title contains NAME, such as pal-25 or 'pal-25 in av1'
  --help        show this help

If PLAYHOUSE_MEDIA_DIR names a folder of real clips, they are included.
`

const { values } = parseOptions({
	options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) {
	console.log(help)
} else {
	await runLongTests({
		testTimeoutMs: 3_600_000,
		files: ['video', 'audio', 'clips'].map((name) => `test/transcoder-daemon/tasks/${name}.node.test.ts`),
		options: ['--maxConcurrency', '2', ...(values.only ? ['-t', values.only] : [])],
		env: { CORPUS: 'all' },
	})
}
