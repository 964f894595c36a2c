import { parseOptions } from '../lib/command-options.ts'
import { runLongTests } from './lib/long-tests.ts'

const help = `Uploads with faults, the long version of a test: connections that break at random bytes of a body, a Worker that is
killed during an upload, and the memory of workerd during large uploads. Each upload must end with the SHA-256 of the
source, and memory must not grow with the file.

  npm run prove:tus -- [options]

  --uploads N    uploads with a broken connection (default 200)
  --restarts N   times that workerd is killed during one upload (default 10)
  --memory L     two sizes in MiB that must need the same memory (default 100,2048)
  --help         show this help
`

const { values } = parseOptions({
	options: {
		uploads: { type: 'string', default: '200' },
		restarts: { type: 'string', default: '10' },
		memory: { type: 'string', default: '100,2048' },
		help: { type: 'boolean', short: 'h' },
	},
})
const isNumber = (text: string) => /^[1-9]\d{0,4}$/.test(text)
if (values.help) {
	console.log(help)
} else if (![values.uploads, values.restarts, ...values.memory.split(',')].every(isNumber)) {
	console.error('All options must be whole numbers, and --memory two of them; see --help.')
	process.exitCode = 2
} else {
	await runLongTests({
		testTimeoutMs: 3_600_000,
		// One after the other, as memory is measured.
		options: ['--no-file-parallelism'],
		files: ['cuts', 'restart', 'memory'].map((name) => `test/edge/video/uploads/tus/${name}.node.test.ts`),
		env: { TUS_UPLOADS: values.uploads, TUS_RESTARTS: values.restarts, UPLOAD_MIB: values.memory },
	})
}
