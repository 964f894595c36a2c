import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { createClient } from '#schema/contract/client.ts'
import { ActivityBoard } from './activity.ts'
import { canWork, type Findings, findCapabilities } from './capabilities.ts'
import {
	type Config,
	ConfigError,
	type Environment,
	readConfig,
	readLocalConfig,
	readWatchConfig,
} from './config.ts'
import { holdConnection, PING_MS } from './connection.ts'
import { runDaemon, type World } from './daemon.ts'
import { findPrograms, ProgramMissingError, type Programs } from './ffmpeg/binary.ts'
import { watchFolder } from './hot-folder.ts'
import { openMemory } from './hot-folder-memory.ts'
import { keepIdentity } from './identity.ts'
import { type Log, reasonOf } from './log.ts'
import { readHardware, readLoad } from './machine.ts'
import { buildSandbox, limitsFor } from './sandbox.ts'
import type { Shutdown } from './shutdown.ts'
import { holdDataDir } from './single.ts'
import { openSourceCache } from './source-cache.ts'
import { printActivity, printStatus, readActivity } from './status.ts'
import { tasks as ownTasks, type TaskTable } from './tasks/index.ts'
import { monotonicMs, sleep } from './time.ts'
import { createWork } from './work.ts'
import { openWorkDirs } from './work-dirs.ts'

const NO_SANDBOX =
	'no sandbox works here, so this machine takes no tasks: a file made to harm could read what the daemon can. Install bubblewrap and, in a container, allow user namespaces (see transcoder-daemon/Dockerfile); or set PLAYHOUSE_ALLOW_UNSANDBOXED=true to go without'
const OK = 0
const FAILED = 1
/** As sysexits.h has it: something is set up wrongly, and trying again without a change is no use. */
const MISCONFIGURED = 78
/** A file that has not grown for so long is taken for whole. */
const SETTLE_MS = 10_000

/** Prints what the machine would report. */
export async function showStatus(
	env: Environment,
	print: (text: string) => void,
	signal: AbortSignal,
): Promise<number> {
	try {
		const { name, dataDir, ...local } = readLocalConfig(env)
		const { ffmpeg } = await requirePrograms(env)
		const findings = await findCapabilities(ffmpeg, local, signal)
		print(printStatus(name, findings))
		print(printActivity(await readActivity(dataDir)))
		return canWork(findings.capabilities) ? OK : FAILED
	} catch (error) {
		if (signal.aborted) return OK
		for (const line of problemsIn(error)) print(`${line}\n`)
		return statusOf(error)
	}
}

/** The daemon's whole life; answers the exit status. */
export async function startDaemon(
	env: Environment,
	log: Log,
	{ drain, abort }: Shutdown,
	tasks: TaskTable = ownTasks,
): Promise<number> {
	const ended = new AbortController()
	try {
		const config = readConfig(env)
		const programs = await requirePrograms(env)
		await using _held = await holdDataDir(config.dataDir)
		const fingerprint = await keepIdentity(config.dataDir, log)
		const { capabilities, trials, decoderTrials, devices } = await findCapabilities(
			programs.ffmpeg,
			config,
			drain,
		)
		for (const { encoder, proved, ms, reason } of trials)
			log.info('encoder tried', { encoder, proved, ms, reason })
		for (const { decoder, proved, ms, reason } of decoderTrials)
			log.info('decoder tried', { decoder, proved, ms, reason })
		if (!canWork(capabilities))
			throw new ConfigError(['this ffmpeg has no working H.264 encoder; see --status'])
		const machine = { fingerprint, name: config.name, capabilities }
		const parts = { config, programs, machine, devices, tasks, env, log }
		await runDaemon(await buildWorld(parts, drain, ended.signal), { drain, abort })
		return OK
	} catch (error) {
		if (drain.aborted) return OK
		for (const line of problemsIn(error)) log.error(line)
		return statusOf(error)
	} finally {
		ended.abort()
	}
}

type Parts = {
	config: Config
	programs: Programs
	machine: World['machine']
	devices: Findings['devices']
	tasks: TaskTable
	env: Environment
	log: Log
}

async function buildWorld(parts: Parts, drain: AbortSignal, ended: AbortSignal): Promise<World> {
	const { config, programs, machine, devices, tasks, env, log } = parts
	const { edgeUrl, fleetToken, dataDir } = config
	const { encoders, decoders = [], slots, kind } = machine.capabilities
	warnOfPlainHttp(edgeUrl, log)
	const network = { fetch, sleep, random: Math.random }
	const clock = monotonicMs
	// A card may decode and be no encoder.
	const usesHardware = kind !== 'cpu' || decoders.length > 0
	const making = { program: programs.ffmpeg, usesHardware, dir: dataDir, env }
	const sandbox = await buildSandbox(making, drain)
	for (const gap of sandbox.gaps) log.warn(`sandbox without ${gap}`)
	if (!sandbox.isConfining && !config.allowUnsandboxed) throw new ConfigError([NO_SANDBOX])
	const cache = await openSourceCache({
		...{ dir: join(dataDir, 'sources'), capacityBytes: config.cacheBytes },
		...{ network, now: Date.now, log },
	})
	const hardware = readHardware()
	const client = createClient<AbortSignal>({ baseUrl: edgeUrl, fetch })
	let isConnected = false
	const facts = () => ({
		state: drain.aborted ? ('draining' as const) : ('working' as const),
		...{ isConnected, slots, cache: cache.usage() },
	})
	const board = new ActivityBoard(join(dataDir, 'status.json'), facts, clock)
	board.watch(ended)
	const workDirs = await openWorkDirs(join(dataDir, 'work'))
	const proved = { encoders, decoders, devices }
	// Made when the machine is registered; rung by the socket from then on.
	let ringWork = () => {}
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
						ringWork()
					},
					onConnected(is) {
						isConnected = is
					},
					pingMs: PING_MS,
					...{ sleep, random: Math.random, log },
				},
				signal,
			),
		work(desk, drain) {
			const shop = {
				desk: { client, ...desk },
				...{
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
					board,
				},
				confine: (
					command: readonly string[],
					access: Parameters<typeof sandbox.confine>[1],
					deadlineSec: number,
				) => sandbox.confine(command, access, limitsFor(hardware, deadlineSec, usesHardware)),
				threads: Math.max(1, Math.floor(hardware.cores / slots)),
			}
			const work = createWork(shop, { slots, graceMs: config.drainMs, isConnected: () => isConnected })
			ringWork = work.ring
			return work.run(drain)
		},
	}
}

/** The life of a hot folder; answers the exit status. A signal ends it at once: it goes on where it was next time. */
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
		const own = join(dataDir, `watch-${createHash('sha256').update(resolve(dir)).digest('hex').slice(0, 16)}`)
		await using _held = await holdDataDir(own)
		await watchFolder(
			{
				dir,
				client: createClient<AbortSignal>({ baseUrl: edgeUrl, fetch, token: apiKey }),
				memory: await openMemory(join(own, 'assets.json')),
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
		log.warn('PLAYHOUSE_EDGE_URL is http: tokens and video cross the network for all to read')
}

async function requirePrograms(env: Environment): Promise<Programs> {
	const found = await findPrograms(env)
	if (!found)
		throw new ConfigError(['ffmpeg and ffprobe are not to be found: install them, or set FFMPEG_PATH'])
	return found
}

function problemsIn(error: unknown): readonly string[] {
	if (error instanceof ConfigError) return error.problems
	return [reasonOf(error)]
}

const statusOf = (error: unknown): number =>
	error instanceof ConfigError || error instanceof ProgramMissingError ? MISCONFIGURED : FAILED
