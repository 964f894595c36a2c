import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const help = `The long form of what the tests look at in short: every input of the corpus, ten minutes of video among them, through
the encoding of its pictures, in H.264, HEVC and AV1, and its sound: every frame once, in its place, alike, and in time
with the sound. Prints how alike.

  node scripts/prove/corpus.ts [options]

  --only NAME   of these alone: a part of the name, such as pal-25, or of 'pal-25 comes through in av1'
  --help        this text

PLAYHOUSE_MEDIA_DIR may name a folder of real clips, which are then taken too.
`

const { values } = parseArgs({
	options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) {
	console.log(help)
} else {
	const root = join(import.meta.dirname, '..', '..')
	const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
	const files = ['video', 'audio', 'clips'].map((name) => `test/node/transcoder-daemon/tasks/${name}.test.ts`)
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
