import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createClient } from '#schema/contract/kit/client.ts'
import {
	type Config,
	ConfigError,
	type Environment,
	type LocalConfig,
	readConfig,
	readLocalConfig,
	readWatchConfig,
} from './config.ts'
import { type DaemonDeps, runDaemon } from './daemon.ts'
import { holdConnection, PING_MS } from './edge/connection.ts'
import { loadIdentity } from './edge/identity.ts'
import { findPrograms, type Programs, UnusableProgramError } from './ffmpeg/binary.ts'
import { TRIAL_MS, type TrialDeps } from './ffmpeg/trial.ts'
import { readFfmpegVersion } from './ffmpeg/version.ts'
import { watchFolder } from './hot-folder/hot-folder.ts'
import { openMemory } from './hot-folder/hot-folder-memory.ts'
import { describeReason, type Log } from './log.ts'
import { canWork, type Findings, findCapabilities } from './machine/capabilities.ts'
import { lockDataDir } from './machine/data-dir-lock.ts'
import { findDevices } from './machine/devices.ts'
import { readHardware, readLoad } from './machine/machine.ts'
import { buildSandbox, chooseSandbox, type Sandbox } from './machine/sandbox.ts'
import { openMonitor } from './monitor/monitor.ts'
import { ActivityBoard } from './run/activity.ts'
import type { Shutdown } from './run/shutdown.ts'
import { createWork } from './run/work.ts'
import { openWorkDirs } from './run/work-dirs.ts'
import { openSourceCache } from './sources/source-cache.ts'
import { findSpeechEngine, type SpeechFindings } from './speech/find-engine.ts'
import { printActivity, printStatus, readActivity } from './status.ts'
import { tasks as defaultTasks, type TaskTable } from './tasks/index.ts'
import { monotonicMs, sleep } from './time.ts'

const NO_SANDBOX =
	'no sandbox works here, so this machine takes no tasks: a hostile file could read whatever the daemon can; install bubblewrap and, in a container, allow user namespaces (see transcoder-daemon/Dockerfile); or set PLAYHOUSE_ALLOW_UNSANDBOXED=true to work without a sandbox'
const NO_ENCODER =
	'this ffmpeg has no working H.264 encoder; install one with libx264 (apt install ffmpeg, brew install ffmpeg), or set FFMPEG_PATH to one. --status shows why each encoder failed'
const OK = 0
const FAILED = 1
/** EX_CONFIG of sysexits.h: the configuration is invalid, so restarting is useless. */
const MISCONFIGURED = 78
/** A file that has not grown for this long counts as complete. */
const SETTLE_MS = 10_000

/** Prints what the machine would report; returns the exit status. */
export async function showStatus(
	env: Environment,
	print: (text: string) => void,
	signal: AbortSignal,
): Promise<number> {
	let dir: string | undefined
	try {
		const local = { ...readLocalConfig(env), remembersTrials: false }
		const { ffmpegVersion, ...programs } = await requirePrograms(env, signal)
		dir = await mkdtemp(join(tmpdir(), 'playhouse-status-'))
		const devices = await findDevices(env, signal)
		const sandbox = await buildSandbox({ program: programs.ffmpeg, devices, dir, env }, signal)
		const trialDeps = await trialDepsIn(dir, sandbox, programs, signal)
		const findings = await findCapabilities(trialDeps, { ...local, ffmpegVersion, sandbox })
		const speech = await speechIn(sandbox, local, env, signal)
		print(
			printStatus(local.name, {
				...findings,
				gaps: sandbox.gaps,
				speechTrials: speech.trials,
				speech: speech.proved?.speech ?? null,
			}),
		)
		print(printActivity(await readActivity(local.dataDir)))
		requireSandbox(sandbox, local)
		return canWork(findings.capabilities) ? OK : FAILED
	} catch (error) {
		if (signal.aborted) return OK
		for (const line of problemsIn(error)) print(`${line}\n`)
		return statusOf(error)
	} finally {
		if (dir) await rm(dir, { recursive: true, force: true, maxRetries: 3 })
	}
}

/** Runs the daemon until it is stopped; returns the exit status. */
export async function startDaemon(
	env: Environment,
	log: Log,
	{ drain, abort }: Shutdown,
	tasks: TaskTable = defaultTasks,
): Promise<number> {
	const ended = new AbortController()
	try {
		const config = readConfig(env)
		const { ffmpegVersion, ...programs } = await requirePrograms(env, drain)
		await using _lock = await lockDataDir(config.dataDir)
		const fingerprint = await loadIdentity(config.dataDir, log)
		const { dataDir } = config
		const hardwareSandbox = await buildSandbox(
			{ program: programs.ffmpeg, devices: await findDevices(env, drain), dir: dataDir, env },
			drain,
		)
		for (const gap of hardwareSandbox.gaps) log.warn(`sandbox without ${gap}`)
		requireSandbox(hardwareSandbox, config)
		const { capabilities, trials, decoderTrials, devices } = await findCapabilities(
			await trialDepsIn(workDirIn(dataDir), hardwareSandbox, programs, drain),
			{ ...config, ffmpegVersion, sandbox: hardwareSandbox },
		)
		for (const { encoder, proved, ms, reason } of trials)
			log.info('encoder tried', { encoder, proved, ms, reason })
		for (const { decoder, proved, ms, reason } of decoderTrials)
			log.info('decoder tried', { decoder, proved, ms, reason })
		if (!canWork(capabilities)) throw new ConfigError([NO_ENCODER])
		const sandbox = chooseSandbox(hardwareSandbox, capabilities.kind)
		const speech = await speechIn(hardwareSandbox, config, env, drain)
		for (const { engine, proved, ms, reason } of speech.trials)
			log.info('speech engine tried', { engine, proved, ms, reason })
		const proved = { ...capabilities, speech: speech.proved?.speech ?? null }
		const machine = { fingerprint, name: config.name, capabilities: proved }
		const parts = { config, programs, machine, devices, tasks, sandbox, speech, log }
		await runDaemon(await buildDeps(parts, drain, ended.signal), { drain, abort })
		return OK
	} catch (error) {
		if (drain.aborted) return OK
		for (const line of problemsIn(error)) log.error(line)
		return statusOf(error)
	} finally {
		ended.abort()
	}
}

/** Emptied before the first task. */
const workDirIn = (dataDir: string): string => join(dataDir, 'work')

async function trialDepsIn(
	dir: string,
	sandbox: Sandbox,
	programs: Programs,
	signal: AbortSignal,
): Promise<TrialDeps> {
	const workDir = join(dir, 'trials')
	await mkdir(workDir, { recursive: true, mode: 0o700 })
	const confine: TrialDeps['programs']['confine'] = (command, access) =>
		sandbox.confine(command, access, TRIAL_MS / 1_000)
	return { programs: { ...programs, confine }, workDir, signal }
}

/** Tries the speech engines. Some compute on a graphics card, including ones that can't encode. */
const speechIn = (
	hardwareSandbox: Sandbox,
	{ speech }: Pick<LocalConfig, 'speech'>,
	env: Environment,
	signal: AbortSignal,
): Promise<SpeechFindings> =>
	findSpeechEngine(
		speech,
		{
			env,
			fetch,
			threads: readHardware().cores,
			confine: hardwareSandbox.confine,
		},
		signal,
	)

type Parts = {
	config: Config
	programs: Programs
	machine: DaemonDeps['machine']
	devices: Findings['devices']
	tasks: TaskTable
	sandbox: Sandbox
	speech: SpeechFindings
	log: Log
}

async function buildDeps(parts: Parts, drain: AbortSignal, ended: AbortSignal): Promise<DaemonDeps> {
	const { config, programs, machine, devices, tasks, sandbox, speech, log } = parts
	const { edgeUrl, fleetToken, dataDir } = config
	const { encoders, decoders = [], slots } = machine.capabilities
	warnOfPlainHttp(edgeUrl, log)
	const network = { fetch, sleep, random: Math.random }
	const clock = monotonicMs
	const cache = await openSourceCache({
		dir: join(dataDir, 'sources'),
		capacityBytes: config.cacheBytes,
		network,
		now: Date.now,
		log,
	})
	const hardware = readHardware()
	const client = createClient<AbortSignal>({ baseUrl: edgeUrl, fetch })
	let isConnected = false
	const readFacts = () => ({
		state: drain.aborted ? ('draining' as const) : ('working' as const),
		isConnected,
		slots,
		cache: cache.usage(),
	})
	const board = new ActivityBoard(join(dataDir, 'status.json'), readFacts, clock)
	board.watch(ended)
	if (config.metricsPort !== null) await openMonitor(config.metricsPort, () => board.snapshot(), log, ended)
	const workDirs = await openWorkDirs(workDirIn(dataDir))
	const proved = { encoders, decoders, devices }
	// Set once the machine is registered; the socket calls it from then on.
	let wakeWork = () => {}
	return {
		client,
		fleetToken,
		machine,
		readLoad,
		sleep,
		random: Math.random,
		log,
		running: () => board.running,
		hold: (session, onWake, signal) =>
			holdConnection(
				{
					edgeUrl,
					token: () => session.token,
					onWake() {
						onWake()
						wakeWork()
					},
					onConnected(connected) {
						isConnected = connected
					},
					pingMs: PING_MS,
					sleep,
					random: Math.random,
					log,
				},
				signal,
			),
		work(session, drain) {
			const deps = {
				session: { client, ...session },
				clock,
				sleep,
				random: Math.random,
				log,
				tasks,
				network,
				cache,
				workDirs,
				programs,
				proved,
				speech: speech.proved?.engine ?? null,
				board,
				confine: sandbox.confine,
				threads: Math.max(1, Math.floor(hardware.cores / slots)),
				cores: hardware.cores,
			}
			const work = createWork(deps, {
				memoryBytes: config.memoryBytes ?? hardware.memoryBytes,
				slots,
				graceMs: config.drainMs,
				isConnected: () => isConnected,
			})
			wakeWork = work.wake
			return work.run(drain)
		},
	}
}

/** Watches a hot folder until a signal; returns the exit status. A signal stops it at once: the next start resumes. */
export async function startWatching(
	env: Environment,
	dir: string,
	log: Log,
	{ drain }: Shutdown,
	settleMs = SETTLE_MS,
): Promise<number> {
	try {
		const { edgeUrl, apiKey, dataDir } = readWatchConfig(env)
		warnOfPlainHttp(edgeUrl, log)
		const watchDir = join(
			dataDir,
			`watch-${createHash('sha256').update(resolve(dir)).digest('hex').slice(0, 16)}`,
		)
		await using _lock = await lockDataDir(watchDir)
		await watchFolder(
			{
				dir,
				client: createClient<AbortSignal>({ baseUrl: edgeUrl, fetch, token: apiKey }),
				memory: await openMemory(join(watchDir, 'assets.json')),
				network: { fetch, sleep, random: Math.random },
				log,
				settleMs,
			},
			drain,
		)
		return OK
	} catch (error) {
		if (drain.aborted) return OK
		for (const line of problemsIn(error)) log.error(line)
		return statusOf(error)
	}
}

function warnOfPlainHttp(edgeUrl: string, log: Log): void {
	const { protocol, hostname } = new URL(edgeUrl)
	if (protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname))
		log.warn('PLAYHOUSE_EDGE_URL is http: tokens and videos cross the network unencrypted; use https')
}

/** Throws unless ffmpeg starts: otherwise the sandbox would seem to be at fault. */
async function requirePrograms(
	env: Environment,
	signal: AbortSignal,
): Promise<Programs & { ffmpegVersion: string }> {
	const found = await findPrograms(env)
	if (!found) throw new ConfigError(['ffmpeg and ffprobe were not found: install them, or set FFMPEG_PATH'])
	return { ...found, ffmpegVersion: await readFfmpegVersion(found, signal) }
}

/** Throws if there is no sandbox against hostile files, unless the operator allows that. */
function requireSandbox({ isConfining }: Sandbox, { allowUnsandboxed }: LocalConfig): void {
	if (!isConfining && !allowUnsandboxed) throw new ConfigError([NO_SANDBOX])
}

function problemsIn(error: unknown): readonly string[] {
	if (error instanceof ConfigError) return error.problems
	return [describeReason(error)]
}

const statusOf = (error: unknown): number =>
	error instanceof ConfigError || error instanceof UnusableProgramError ? MISCONFIGURED : FAILED
