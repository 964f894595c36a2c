/**
 * Recognizes speech with `@fugood/whisper.node`: `whisper-node.mjs INPUT LANGUAGE FFMPEG MODULE MODEL THREADS` writes JSON.
 * A process of its own, so that a crash of the native module is a failed attempt, and in the sandbox like every engine.
 */
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'

const [input = '', language = 'auto', ffmpeg = '', module = '', model = '', threads = '1'] =
	process.argv.slice(2)
const MAX_BYTES = 2 ** 30

// The last line on standard error is what operators read.
process.once('uncaughtException', (error) => {
	console.error(error.message.split('\n')[0])
	process.exit(1)
})

const sound = execFileSync(
	ffmpeg,
	['-v', 'error', '-nostdin', '-i', `file:${input}`, '-ar', '16000', '-ac', '1', '-f', 's16le', 'pipe:1'],
	{ maxBuffer: MAX_BYTES, stdio: ['ignore', 'pipe', 'inherit'] },
)
const { initWhisper } = createRequire(module)(module)
const context = await initWhisper({ filePath: model, useGpu: false })
const { promise } = context.transcribeData(
	sound.buffer.slice(sound.byteOffset, sound.byteOffset + sound.byteLength),
	{ language, maxThreads: Number(threads) },
)
const { language: heard = null, segments } = await promise
process.stdout.write(
	JSON.stringify({
		language: heard ?? (language === 'auto' ? null : language),
		segments: segments.map(({ t0, t1, text }) => ({ start: t0 / 1_000, end: t1 / 1_000, text })),
	}),
)
await context.release()
