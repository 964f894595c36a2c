import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Confine, createCommandEngine } from './command-engine.ts'
import type { SpeechEngine } from './engine.ts'

type Whisper = {
	/** A model in the format of whisper.cpp. */
	model: string
	languages: readonly string[]
	threads: number
	confine: Confine
}

/** Returns the newest model in a folder, or null. */
export async function findNewestModel(dir: string): Promise<string | null> {
	const names = await readdir(dir).catch(() => [])
	const files = await Promise.all(
		names
			.filter((name) => name.endsWith('.bin'))
			.map(async (name) => ({ path: join(dir, name), at: (await stat(join(dir, name))).mtimeMs })),
	)
	return files.toSorted((a, b) => b.at - a.at)[0]?.path ?? null
}

export function createWhisperCliEngine(
	program: string,
	{ model, languages, threads, confine }: Whisper,
): SpeechEngine {
	const options = ['-t', String(threads), '-ojf', '-of', '{output_base}', '-np']
	const template = [program, '-m', model, '-f', '{input}', '-l', '{language}', ...options]
	// A model that knows English alone says so in its name.
	return createCommandEngine({ template, languages: /\.en(\.|-)/.test(model) ? ['en'] : languages, confine })
}
