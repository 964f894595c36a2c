import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildAssets } from './assets.ts'
import { provideChromium } from './chromium.ts'
import { ffmpegMissing, provideFfmpeg } from './ffmpeg.ts'
import { countTests, type Report } from './test/summary.ts'

const root = resolve(import.meta.dirname, '..')

const programs = await provideFfmpeg(process.env)
if (!programs) console.error(`Tests that need ffmpeg are skipped: ${ffmpegMissing}`)
const chromium = provideChromium(process.env)
if (!chromium)
	console.error('Browser tests are skipped: Chromium is missing; install it, or set CHROMIUM_PATH')
await buildAssets()

const directory = await mkdtemp(join(tmpdir(), 'playhouse-test-'))
try {
	const file = join(directory, 'report.json')
	const exitCode = await runVitest(file)
	const report: Report | undefined = await readFile(file, 'utf8').then(JSON.parse, () => undefined)
	const { passed, failed, skipped } = countTests(report, exitCode)
	console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
	process.exitCode = failed > 0 || passed === 0 ? 1 : exitCode
} finally {
	await rm(directory, { recursive: true, force: true })
}

async function runVitest(file: string): Promise<number> {
	const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
	const vitest = spawn(
		join(root, 'node_modules', '.bin', 'vitest'),
		['run', ...reporters, ...process.argv.slice(2)],
		{
			cwd: root,
			stdio: ['ignore', 'inherit', 'inherit'],
			env: {
				...process.env,
				...(programs && { FFMPEG_PATH: programs.ffmpeg, FFPROBE_PATH: programs.ffprobe }),
				...(chromium && { CHROMIUM_PATH: chromium }),
			},
		},
	)
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => vitest.kill(signal))
	const [code]: (number | null)[] = await once(vitest, 'exit')
	return code ?? 1
}
