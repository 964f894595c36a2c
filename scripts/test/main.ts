import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { buildAssets } from '../lib/assets.ts'
import { provideBubblewrap } from '../lib/bubblewrap.ts'
import { provideChromium } from '../lib/chromium.ts'
import { ffmpegMissing, provideFfmpeg } from '../lib/ffmpeg.ts'
import { readChildrenCpuMs } from './children-cpu.ts'
import { noiseFilter } from './runtime-noise.ts'
import { statementProblems } from './statement-coverage.ts'
import { countTests, describeSkipped, describeSlowest, type RunReport } from './summary.ts'

const PRINT_GRACE_MS = 2_000
const root = resolve(import.meta.dirname, '..', '..')
const vitestArgs = process.argv.slice(2)

const isUnitOnly = vitestArgs.join(' ') === '--project unit'

const programs = isUnitOnly ? undefined : await provideFfmpeg(process.env)
if (!isUnitOnly && !programs) console.error(`Tests that need ffmpeg are skipped: ${ffmpegMissing}`)
const chromium = isUnitOnly ? undefined : provideChromium(process.env)
if (!isUnitOnly && !chromium)
	console.error('Browser tests are skipped: Chromium is missing; install it, or set CHROMIUM_PATH')
if (!isUnitOnly) provideBubblewrap(process.env)
if (!isUnitOnly) await buildAssets()

const directory = await mkdtemp(join(tmpdir(), 'playhouse-test-'))
try {
	const startedAt = performance.now()
	const cpuBeforeMs = await readChildrenCpuMs()
	const exitCode = await runVitest()
	const cpuMs = (await readChildrenCpuMs()) - cpuBeforeMs
	const report: RunReport | undefined = await readFile(join(directory, 'report.json'), 'utf8').then(
		JSON.parse,
		() => undefined,
	)
	const { passed, failed, skipped } = countTests(report, exitCode)
	const problems = report && vitestArgs.length === 0 ? statementProblems(report.statements) : []

	if (report)
		for (const line of [...describeSlowest(report.files), ...describeSkipped(report.skipped)])
			console.log(line)
	for (const problem of problems) console.error(`Both databases: ${problem}`)
	console.log(`${minutes(performance.now() - startedAt)} min, ${minutes(cpuMs)} CPU min`)
	const allFailed = failed + (problems.length > 0 ? 1 : 0)
	console.log(`${passed} passed, ${allFailed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
	// A change of documents alone affects no test.
	const ranNothing = passed === 0 && !vitestArgs.includes('--changed')
	process.exitCode = allFailed > 0 || ranNothing ? 1 : exitCode
} finally {
	await rm(directory, { recursive: true, force: true })
}

async function runVitest(): Promise<number> {
	const missing = vitestArgs.find(
		(arg) =>
			/^(test|edge|scripts|schema|transcoder-daemon)\/.*\.ts$/.test(arg) && !existsSync(join(root, arg)),
	)
	if (missing) {
		console.error(`There is no file ${missing}.`)
		return 1
	}
	const reporters = ['--reporter=default', '--reporter=./scripts/test/run-reporter.ts']
	const vitest = spawn(join(root, 'node_modules', '.bin', 'vitest'), ['run', ...reporters, ...vitestArgs], {
		cwd: root,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: {
			...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
			...process.env,
			TEST_RUN_DIRECTORY: directory,
			// A run of named files includes tests with the tag d1 on libSQL.
			...(vitestArgs.some((arg) => arg.startsWith('test/')) && { LIBSQL_RUNS_ALL: '1' }),
			...(programs && { FFMPEG_PATH: programs.ffmpeg, FFPROBE_PATH: programs.ffprobe }),
			...(chromium && { CHROMIUM_PATH: chromium }),
		},
	})
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => vitest.kill(signal))
	const printed = Promise.all([print(vitest.stdout, process.stdout), print(vitest.stderr, process.stderr)])
	const [code]: (number | null)[] = await once(vitest, 'exit')
	// A program that a test failed to stop may keep its output open.
	await Promise.race([printed, setTimeout(PRINT_GRACE_MS, undefined, { ref: false })])
	return code ?? 1
}

async function print(from: Readable, to: Writable): Promise<void> {
	const isShown = noiseFilter()
	for await (const line of createInterface({ input: from })) if (isShown(line)) to.write(`${line}\n`)
}

function minutes(ms: number): string {
	return (ms / 60_000).toFixed(1)
}
