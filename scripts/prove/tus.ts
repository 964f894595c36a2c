import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const help = `The long form of what the tests look at in short: uploads whose connection is cut at random bytes in the middle of a
body, a Worker that is killed in the middle of an upload, and the memory that workerd takes while large files go
through. Each upload must end with the SHA-256 of what was sent, and memory must not grow with the file.

  node scripts/prove/tus.ts [options]

  --uploads N    uploads whose connection is cut; 200 unless told
  --restarts N   times that workerd is killed during one upload; 10 unless told
  --memory L     two sizes in MiB that must take the same memory; 100,2048 unless told
  --help         this text
`

const { values } = parseArgs({
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
	console.error('All of them take whole numbers, --memory two; --help says more.')
	process.exitCode = 2
} else {
	const root = join(import.meta.dirname, '..', '..')
	const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
	const files = ['cuts', 'restart', 'memory'].map((name) => `test/node/uploads/${name}.test.ts`)
	const args = [vitest, 'run', '--project', 'node', '--no-file-parallelism', ...files]
	const run = spawn(process.execPath, [...args, '--testTimeout', '3600000', '--disable-console-intercept'], {
		cwd: root,
		stdio: 'inherit',
		env: {
			...process.env,
			TUS_UPLOADS: values.uploads,
			TUS_RESTARTS: values.restarts,
			UPLOAD_MIB: values.memory,
		},
	})
	const [code] = await once(run, 'exit')
	process.exitCode = code ?? 1
}
