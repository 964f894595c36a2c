import { isAbsolute } from 'node:path'
import type { Environment, SpeechConfig } from '../config.ts'
import { findProgramOnPath } from '../ffmpeg/binary.ts'
import { type Confine, createCommandEngine } from './command-engine.ts'
import type { ProvedEngine, SpeechEngine, SpeechTrial } from './engine.ts'
import { proveEngine } from './prove.ts'
import { createUrlEngine } from './url-engine.ts'
import { createWhisperCliEngine, findNewestModel } from './whisper-cli.ts'

export type SpeechFindings = { proved: ProvedEngine | null; trials: SpeechTrial[] }

type Surroundings = {
	env: Environment
	/** With all graphics cards. */
	confine: Confine
	fetch: typeof globalThis.fetch
	threads: number
}

/** Returns the first engine that recognizes the trial sentence: configured ones before installed ones. */
export async function findSpeechEngine(
	config: SpeechConfig,
	surroundings: Surroundings,
	signal: AbortSignal,
): Promise<SpeechFindings> {
	const trials: SpeechTrial[] = []
	for await (const engine of candidates(config, surroundings)) {
		if ('reason' in engine) {
			trials.push(engine)
			continue
		}
		const { proved, trial } = await proveEngine(engine, signal)
		trials.push(trial)
		if (proved) return { proved, trials }
	}
	return { proved: null, trials }
}

/** Yields candidate engines, and a failed trial for one that can't start. */
async function* candidates(
	{ command, url, model, key, languages, modelsDir }: SpeechConfig,
	{ env, confine, fetch, threads }: Surroundings,
): AsyncGenerator<SpeechEngine | SpeechTrial> {
	if (command) {
		const [program = '', ...args] = command
		const path = isAbsolute(program) ? program : await findProgramOnPath(env, program)
		const template = [path ?? program, ...args]
		yield createCommandEngine({ template, languages, confine })
	}
	if (url) yield createUrlEngine({ url, model, key, languages }, fetch)
	const weights = await findNewestModel(modelsDir)
	if (weights === null) return
	const program = await findProgramOnPath(env, 'whisper-cli')
	yield program
		? createWhisperCliEngine(program, { model: weights, languages, threads, confine })
		: {
				...{ engine: 'whisper-cli', proved: false, ms: 0 },
				reason: `${weights} needs whisper-cli, which is not on PATH; install whisper.cpp, or set PLAYHOUSE_ASR_COMMAND`,
			}
}
