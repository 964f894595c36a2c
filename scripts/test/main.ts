import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { buildAssets } from '../lib/assets.ts'
import { provideBubblewrap } from '../lib/bubblewrap.ts'
import { provideChromium } from '../lib/chromium.ts'
import { ffmpegMissing, provideFfmpeg } from '../lib/ffmpeg.ts'
import { root } from '../lib/root.ts'
import {
	buildVitestArguments,
	isInforming,
	listUnknownNames,
	readTestArguments,
	splitOwnOptions,
} from './arguments.ts'
import { listChangedWithoutTests } from './changed-files.ts'
import { readChildrenCpuMs } from './cpu.ts'
import { findTemporaryDirectory } from './memory-directory.ts'
import { endRemainingProcesses } from './remaining-processes.ts'
import { readReport, reporters } from './run-report.ts'
import { noiseFilter } from './runtime-noise.ts'
import { statementProblems } from './statement-coverage.ts'
import { countTests, describeCosts, describeSkipped, filesWithoutReason } from './summary.ts'

const PRINT_GRACE_MS = 2_000
/** A program that a test has left running may keep vitest from ending. */
const END_GRACE_MS = 30_000
/** npm starts this script in the root; INIT_CWD is the folder where npm was called. */
const { ownOptions, others } = splitOwnOptions(process.argv.slice(2))
const vitestArgs = buildVitestArguments(others, root, process.env.INIT_CWD ?? process.cwd())
if (isInforming(vitestArgs)) {
	await runInTerminal()
	process.exit()
}
const testFiles = globSync('test/**/*.{unit,edge,node}.test.ts', { cwd: root })
const { isUnitOnly, needsPrograms, isWatching, isByTitle, changedSince, names } = readTestArguments(
	vitestArgs,
	testFiles,
)

for (const name of listUnknownNames(names, testFiles)) fail(`No test file has ${name} in its path.`)

const programs = needsPrograms ? await provideFfmpeg(process.env).catch(failWith) : undefined
if (needsPrograms && !programs) console.error(`Tests that need ffmpeg are skipped: ${ffmpegMissing}`)
const chromium = needsPrograms ? await provideChromium(process.env).catch(failWith) : undefined
if (needsPrograms && !chromium)
	console.error('Browser tests are skipped: Chromium is missing; install it, or set CHROMIUM_PATH')
if (needsPrograms) await provideBubblewrap(process.env)
if (!isUnitOnly) await buildAssets()

const directory = await mkdtemp(join(await findTemporaryDirectory(), 'playhouse-test-'))
const reportPath = join(directory, 'report.json')
try {
	await (isWatching ? watch() : run())
} finally {
	await rm(directory, { recursive: true, force: true })
}

async function run(): Promise<void> {
	const startedAt = performance.now()
	const cpuBeforeMs = readChildrenCpuMs()
	const exitCode = await runVitest()
	const remaining = await endRemainingProcesses(directory)
	const cpuMs = readChildrenCpuMs() - cpuBeforeMs
	const report = await readReport(reportPath)
	const { passed, failed, skipped } = countTests(report, exitCode)
	const isComplete = vitestArgs.length === 0
	const problems = report && isComplete ? statementProblems(report.statements) : []
	const unexplained = report && isComplete ? filesWithoutReason(report) : []

	if (report)
		for (const line of [
			...describeCosts(report.files, ownOptions.includes('--times')),
			...describeSkipped(report, isByTitle),
		])
			console.log(line)
	for (const problem of problems) console.error(`Both databases: ${problem}`)
	for (const file of unexplained) console.error(`${file}: a test is skipped without a reason; see needs().`)
	for (const command of remaining) console.error(`A test left this program running: ${command}`)
	const missed = changedSince ? listChangedWithoutTests(changedSince, { root, testFiles, passed }) : []
	for (const path of missed) console.error(`Tests that use ${path} may not have run; name them.`)
	console.log(`${minutes(performance.now() - startedAt)} min, ${minutes(cpuMs)} CPU min`)
	const counts = [
		failed,
		problems.length,
		unexplained.length,
		remaining.length,
		passed > 0 ? 0 : missed.length,
	]
	const failures = counts.filter((n) => n > 0).length
	console.log(
		`${passed} passed, ${Math.max(failed, failures)} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
	)
	process.exitCode = failures > 0 || (passed === 0 && !changedSince) ? 1 : exitCode
}

/** Runs tests again after each save, until Ctrl-C. */
async function watch(): Promise<void> {
	process.on('SIGINT', () => {})
	await runInTerminal(environment())
}

async function runInTerminal(env = process.env): Promise<void> {
	const vitest = spawn(vitestProgram(), vitestArgs, { cwd: root, stdio: 'inherit', env })
	const [code]: (number | null)[] = await once(vitest, 'exit')
	process.exitCode = code ?? 1
}

async function runVitest(): Promise<number> {
	const vitest = spawn(vitestProgram(), ['run', ...reporters, ...vitestArgs], {
		cwd: root,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: environment(),
	})
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => vitest.kill(signal))
	const printed = Promise.all([print(vitest.stdout, process.stdout), print(vitest.stderr, process.stderr)])
	const exited = once(vitest, 'exit').then(([code]: (number | null)[]) => code ?? 1)
	const code = await Promise.race([exited, hangingAtItsEnd()])
	if (code === undefined) {
		console.error('vitest did not end after its last test.')
		vitest.kill('SIGKILL')
	}
	// A program that a test failed to stop may keep its output open.
	await Promise.race([printed, setTimeout(PRINT_GRACE_MS, undefined, { ref: false })])
	return code ?? 1
}

/** Resolves if vitest has written its report, and had time to end. */
async function hangingAtItsEnd(): Promise<undefined> {
	while (!existsSync(reportPath)) await setTimeout(1_000, undefined, { ref: false })
	await setTimeout(END_GRACE_MS, undefined, { ref: false })
}

function vitestProgram(): string {
	return join(root, 'node_modules', '.bin', 'vitest')
}

function environment(): NodeJS.ProcessEnv {
	return {
		...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
		...process.env,
		TEST_RUN_DIRECTORY: directory,
		// Files that tests leave in this folder are deleted with the folder.
		TMPDIR: directory,
		TEST_REPORT_PATH: reportPath,
		// A run of named files includes tests with the tag d1 on libSQL.
		...(names.length > 0 && { LIBSQL_RUNS_ALL: '1' }),
		...(programs && { FFMPEG_PATH: programs.ffmpeg, FFPROBE_PATH: programs.ffprobe }),
		...(chromium && { CHROMIUM_PATH: chromium }),
	}
}

async function print(from: Readable, to: Writable): Promise<void> {
	const isShown = noiseFilter()
	for await (const line of createInterface({ input: from })) if (isShown(line)) to.write(`${line}\n`)
}

function minutes(ms: number): string {
	return (ms / 60_000).toFixed(1)
}

function failWith(error: Error): never {
	return fail(error.message)
}

function fail(line: string): never {
	console.error(line)
	process.exit(1)
}
