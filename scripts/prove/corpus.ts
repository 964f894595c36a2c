import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseOptions } from '../lib/command-options.ts'

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
	const root = join(import.meta.dirname, '..', '..')
	const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
	const files = ['video', 'audio', 'clips'].map((name) => `test/transcoder-daemon/tasks/${name}.node.test.ts`)
	const args = [
		vitest,
		'run',
		'--project',
		'node',
		...files,
		'--testTimeout',
		'3600000',
		'--maxConcurrency',
		'2',
		'--disable-console-intercept',
	]
	const only = values.only ? ['-t', values.only] : []
	const run = spawn(process.execPath, [...args, ...only], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, CORPUS: 'all' },
	})
	const [code] = await once(run, 'exit')
	process.exitCode = code ?? 1
}
