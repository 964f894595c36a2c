import { isAbsolute } from 'node:path'
import type { Environment, SpeechConfig } from '../config.ts'
import { programOnPath } from '../ffmpeg/binary.ts'
import { type Confine, commandEngine } from './command-engine.ts'
import type { ProvedEngine, SpeechEngine, SpeechTrial } from './engine.ts'
import { proveEngine } from './prove.ts'
import { urlEngine } from './url-engine.ts'
import { newestModel, whisperCliEngine } from './whisper-cli.ts'

export type SpeechFindings = { proved: ProvedEngine | null; trials: SpeechTrial[] }

type Surroundings = {
	env: Environment
	/** With all graphics cards. */
	confine: Confine
	fetch: typeof globalThis.fetch
	threads: number
}

/** Returns the first engine that recognizes a sentence: what the operator set, then what is installed. */
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

/** Yields engines to try, and the trial of one that can't start. */
async function* candidates(
	{ command, url, model, key, languages, modelsDir }: SpeechConfig,
	{ env, confine, fetch, threads }: Surroundings,
): AsyncGenerator<SpeechEngine | SpeechTrial> {
	if (command) {
		const [program = '', ...args] = command
		const path = isAbsolute(program) ? program : await programOnPath(env, program)
		const template = [path ?? program, ...args]
		yield commandEngine({ template, languages, confine })
	}
	if (url) yield urlEngine({ url, model, key, languages }, fetch)
	const weights = await newestModel(modelsDir)
	if (weights === null) return
	const program = await programOnPath(env, 'whisper-cli')
	yield program
		? whisperCliEngine(program, { model: weights, languages, threads, confine })
		: {
				...{ engine: 'whisper-cli', proved: false, ms: 0 },
				reason: `${weights} needs whisper-cli, which is not on PATH; install whisper.cpp, or set PLAYHOUSE_ASR_COMMAND`,
			}
}
