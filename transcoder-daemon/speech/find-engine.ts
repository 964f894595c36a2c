import { isAbsolute } from 'node:path'
import type { Environment, SpeechConfig } from '../config.ts'
import { programOnPath } from '../ffmpeg/binary.ts'
import { type Confine, commandEngine } from './command-engine.ts'
import type { ProvedEngine, SpeechEngine, SpeechTrial } from './engine.ts'
import { proveEngine } from './prove.ts'
import { urlEngine } from './url-engine.ts'
import {
	ffmpegWhisperEngine,
	findWhisperNode,
	modelLanguages,
	newestModel,
	whisperCliEngine,
	whisperNodeEngine,
} from './whisper-engines.ts'

export type SpeechFindings = { proved: ProvedEngine | null; trials: SpeechTrial[] }

type Surroundings = {
	env: Environment
	ffmpeg: string
	confine: Confine
	/** The same with all graphics cards. */
	confineWithHardware: Confine
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
	for (const engine of await candidates(config, surroundings)) {
		const { proved, trial } = await proveEngine(engine, signal)
		trials.push(trial)
		if (proved) return { proved, trials }
	}
	return { proved: null, trials }
}

async function candidates(
	{ command, url, model, key, languages, modelsDir }: SpeechConfig,
	{ env, ffmpeg, confine, confineWithHardware, fetch, threads }: Surroundings,
): Promise<SpeechEngine[]> {
	const engines: SpeechEngine[] = []
	if (command) {
		const [program = '', ...args] = command
		const path = isAbsolute(program) ? program : await programOnPath(env, program)
		const template = [path ?? program, ...args]
		engines.push(commandEngine({ template, languages, confine: confineWithHardware }))
	}
	if (url) engines.push(urlEngine({ url, model, key, languages }, fetch))
	const weights = await newestModel(modelsDir)
	if (weights === null) return engines
	const whisper = { model: weights, languages: modelLanguages(weights, languages), threads, confine }
	const program = await programOnPath(env, 'whisper-cli')
	if (program) engines.push(whisperCliEngine(program, { ...whisper, confine: confineWithHardware }))
	const module = findWhisperNode(modelsDir)
	if (module) engines.push(await whisperNodeEngine(module, ffmpeg, whisper))
	const filter = await ffmpegWhisperEngine(ffmpeg, whisper)
	if (filter) engines.push(filter)
	return engines
}
