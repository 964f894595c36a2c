import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Environment, SpeechConfig } from '../config.ts'
import { programOnPath } from '../ffmpeg/binary.ts'
import { type Confine, commandEngine } from './command-engine.ts'
import type { ProvedEngine, SpeechEngine, SpeechTrial } from './engine.ts'
import { proveEngine } from './prove.ts'
import { urlEngine } from './url-engine.ts'

export type SpeechFindings = { proved: ProvedEngine | null; trials: SpeechTrial[] }

type Surroundings = {
	env: Environment
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
	for (const engine of await candidates(config, surroundings)) {
		const { proved, trial } = await proveEngine(engine, signal)
		trials.push(trial)
		if (proved) return { proved, trials }
	}
	return { proved: null, trials }
}

async function candidates(
	{ command, url, model, key, languages, modelsDir }: SpeechConfig,
	{ env, confine, fetch, threads }: Surroundings,
): Promise<SpeechEngine[]> {
	const engines: SpeechEngine[] = []
	if (command) {
		const [program = '', ...args] = command
		const path = isAbsolute(program) ? program : await programOnPath(env, program)
		engines.push(commandEngine({ template: [path ?? program, ...args], languages, confine }))
	}
	if (url) engines.push(urlEngine({ url, model, key, languages }, fetch))
	const whisper = await programOnPath(env, 'whisper-cli')
	const weights = whisper && (await newestModel(modelsDir))
	if (whisper && weights) {
		const options = ['-t', String(threads), '-ojf', '-of', '{output_base}', '-np']
		const template = [whisper, '-m', weights, '-f', '{input}', '-l', '{language}', ...options]
		const isEnglishOnly = /\.en(\.|-)/.test(weights)
		engines.push(commandEngine({ template, languages: isEnglishOnly ? ['en'] : languages, confine }))
	}
	return engines
}

async function newestModel(dir: string): Promise<string | null> {
	const names = await readdir(dir).catch(() => [])
	const files = await Promise.all(
		names
			.filter((name) => name.endsWith('.bin'))
			.map(async (name) => ({ path: join(dir, name), at: (await stat(join(dir, name))).mtimeMs })),
	)
	return files.toSorted((a, b) => b.at - a.at)[0]?.path ?? null
}
