import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Runs npm start and has a machine write down what a synthetic voice says, the long version of a test. A script of three
topics is spoken once (142 s) and six times (14 min), with pauses of known length, and pocketsphinx listens. Prints the
word error rate, which sclite checks, how far sentences are off, what is lost by cutting sound into chunks, and a table of
chapters beside three baselines. Of two machines, one is killed while it listens; the text must not change by that.

  npm run prove:transcription -- [options]

  --help   show this help

Needs Debian's pocketsphinx, pocketsphinx-en-us and sctk, and an ffmpeg with flite. Takes about ten minutes.
`

const { values } = parseOptions({ options: { help: { type: 'boolean', short: 'h' } } })
if (values.help) console.log(help)
else
	await runLongTests({
		files: ['test/e2e/product/transcription-proof.node.test.ts'],
		env: { TRANSCRIPTION_PROOF: 'all' },
		testTimeoutMs: 0,
		options: ['--bail', '1', '--hookTimeout', '600000'],
	})
