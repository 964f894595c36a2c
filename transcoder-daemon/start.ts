import { createClient } from '#schema/contract/client.ts'
import { canWork, findCapabilities } from './capabilities.ts'
import { type Config, ConfigError, type Environment, readConfig, readLocalConfig } from './config.ts'
import { holdConnection, PING_MS } from './connection.ts'
import { runDaemon, type World } from './daemon.ts'
import { findPrograms, ProgramMissingError } from './ffmpeg/binary.ts'
import { keepIdentity } from './identity.ts'
import { type Log, reasonOf } from './log.ts'
import { readLoad } from './machine.ts'
import type { Shutdown } from './shutdown.ts'
import { holdDataDir } from './single.ts'
import { printStatus } from './status.ts'
import { sleep } from './time.ts'

const OK = 0
const FAILED = 1
/** As sysexits.h has it: something is set up wrongly, and trying again without a change is no use. */
const MISCONFIGURED = 78

/** Prints what the machine would report. */
export async function showStatus(
	env: Environment,
	print: (text: string) => void,
	signal: AbortSignal,
): Promise<number> {
	try {
		const { name, slots } = readLocalConfig(env)
		const ffmpeg = await requireFfmpeg(env)
		const findings = await findCapabilities(ffmpeg, slots, signal)
		print(printStatus(name, findings))
		return canWork(findings.capabilities) ? OK : FAILED
	} catch (error) {
		if (signal.aborted) return OK
		for (const line of problemsIn(error)) print(`${line}\n`)
		return statusOf(error)
	}
}

/** The daemon's whole life; answers the exit status. */
export async function startDaemon(env: Environment, log: Log, { drain, abort }: Shutdown): Promise<number> {
	try {
		const config = readConfig(env)
		const ffmpeg = await requireFfmpeg(env)
		await using _held = await holdDataDir(config.dataDir)
		const fingerprint = await keepIdentity(config.dataDir, log)
		const { capabilities, trials, decoderTrials } = await findCapabilities(ffmpeg, config.slots, drain)
		for (const { encoder, proved, ms, reason } of trials)
			log.info('encoder tried', { encoder, proved, ms, reason })
		for (const { decoder, proved, ms, reason } of decoderTrials)
			log.info('decoder tried', { decoder, proved, ms, reason })
		if (!canWork(capabilities))
			throw new ConfigError(['this ffmpeg has no working H.264 encoder; see --status'])
		await runDaemon(buildWorld(config, { fingerprint, name: config.name, capabilities }, log), {
			drain,
			abort,
		})
		return OK
	} catch (error) {
		if (drain.aborted) return OK
		for (const line of problemsIn(error)) log.error(line)
		return statusOf(error)
	}
}

function buildWorld(config: Config, machine: World['machine'], log: Log): World {
	const { edgeUrl, fleetToken } = config
	const { protocol, hostname } = new URL(edgeUrl)
	if (protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname))
		log.warn('PLAYHOUSE_EDGE_URL is http: tokens and video cross the network for all to read')
	return {
		client: createClient<AbortSignal>({ baseUrl: edgeUrl, fetch }),
		fleetToken,
		machine,
		readLoad,
		sleep,
		random: Math.random,
		log,
		hold: (session, onWake, signal) =>
			holdConnection(
				{ edgeUrl, token: () => session.token, onWake, pingMs: PING_MS, sleep, random: Math.random, log },
				signal,
			),
	}
}

async function requireFfmpeg(env: Environment): Promise<string> {
	const found = await findPrograms(env)
	if (!found)
		throw new ConfigError(['ffmpeg and ffprobe are not to be found: install them, or set FFMPEG_PATH'])
	return found.ffmpeg
}

function problemsIn(error: unknown): readonly string[] {
	if (error instanceof ConfigError) return error.problems
	return [reasonOf(error)]
}

const statusOf = (error: unknown): number =>
	error instanceof ConfigError || error instanceof ProgramMissingError ? MISCONFIGURED : FAILED
