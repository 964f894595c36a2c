import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { buildAssets } from './assets.ts'
import { provideChromium } from './chromium.ts'
import { ffmpegMissing, provideFfmpeg } from './ffmpeg.ts'
import { readChildrenCpuMs } from './test/children-cpu.ts'
import { isRuntimeNoise } from './test/runtime-noise.ts'
import { statementsMissingOnLibsql } from './test/statement-coverage.ts'
import { countTests, describeSkipped, describeSlowest, type RunReport } from './test/summary.ts'

const root = resolve(import.meta.dirname, '..')
const vitestArgs = process.argv.slice(2)

const isPure = vitestArgs.join(' ') === '--project unit'

const programs = isPure ? undefined : await provideFfmpeg(process.env)
if (!isPure && !programs) console.error(`Tests that need ffmpeg are skipped: ${ffmpegMissing}`)
const chromium = isPure ? undefined : provideChromium(process.env)
if (!isPure && !chromium)
	console.error('Browser tests are skipped: Chromium is missing; install it, or set CHROMIUM_PATH')
if (!isPure) await buildAssets()

const directory = await mkdtemp(join(tmpdir(), 'playhouse-test-'))
try {
	const file = join(directory, 'report.json')
	const startedAt = performance.now()
	const cpuBeforeMs = await readChildrenCpuMs()
	const exitCode = await runVitest(file)
	const cpuMs = (await readChildrenCpuMs()) - cpuBeforeMs
	const report: RunReport | undefined = await readFile(file, 'utf8').then(JSON.parse, () => undefined)
	const { passed, failed, skipped } = countTests(report, exitCode)
	const missing = report && vitestArgs.length === 0 ? statementsMissingOnLibsql(report.statements) : []

	if (report)
		for (const line of [...describeSlowest(report.files), ...describeSkipped(report.skipped)])
			console.log(line)
	for (const sql of missing) console.error(`Seen on D1, never on libSQL: ${sql}`)
	console.log(`${minutes(performance.now() - startedAt)} min, ${minutes(cpuMs)} CPU min`)
	const allFailed = failed + (missing.length > 0 ? 1 : 0)
	console.log(`${passed} passed, ${allFailed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
	process.exitCode = allFailed > 0 || passed === 0 ? 1 : exitCode
} finally {
	await rm(directory, { recursive: true, force: true })
}

async function runVitest(file: string): Promise<number> {
	const reporters = ['--reporter=default', '--reporter=./scripts/test/run-reporter.ts']
	const vitest = spawn(join(root, 'node_modules', '.bin', 'vitest'), ['run', ...reporters, ...vitestArgs], {
		cwd: root,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: {
			...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
			...process.env,
			RUN_REPORT: file,
			...(programs && { FFMPEG_PATH: programs.ffmpeg, FFPROBE_PATH: programs.ffprobe }),
			...(chromium && { CHROMIUM_PATH: chromium }),
		},
	})
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => vitest.kill(signal))
	const printed = Promise.all([print(vitest.stdout, process.stdout), print(vitest.stderr, process.stderr)])
	const [code]: (number | null)[] = await once(vitest, 'close')
	await printed
	return code ?? 1
}

async function print(from: Readable, to: Writable): Promise<void> {
	for await (const line of createInterface({ input: from })) if (!isRuntimeNoise(line)) to.write(`${line}\n`)
}

function minutes(ms: number): string {
	return (ms / 60_000).toFixed(1)
}
