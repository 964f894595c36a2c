import { readFlags } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

readFlags(`Encodes the corpus with each hardware encoder of this machine, alone and with the decoder that shares its memory, in the
daemon's sandbox. Every frame must appear once, in order and similar to its source, and no chunk may need software.

  npm run prove:hardware

  --help   show this help

Fails if no hardware encoder works, and prints the reasons.
`)
await runLongTests({
	testTimeoutMs: 600_000,
	files: ['test/transcoder-daemon/corpus/hardware.node.test.ts'],
	env: { HARDWARE: 'all' },
})
