import { execFile } from 'node:child_process'
import { readdir, realpath, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Confine, commandEngine, OUTPUT_NAME } from './command-engine.ts'
import type { SpeechEngine } from './engine.ts'

const SCRIPT = join(import.meta.dirname, 'whisper-node.mjs')
const MODULE = '@fugood/whisper.node'
const FILTERS_TIMEOUT_MS = 15_000
/** How much sound the filter of ffmpeg hears at once; it writes no times of words, and short pieces are heard badly. */
const QUEUE_SEC = 20

type Whisper = {
	/** A model in the format of whisper.cpp. */
	model: string
	languages: readonly string[]
	threads: number
	confine: Confine
}

/** Returns the newest model in a folder, or null. */
export async function newestModel(dir: string): Promise<string | null> {
	const names = await readdir(dir).catch(() => [])
	const files = await Promise.all(
		names
			.filter((name) => name.endsWith('.bin'))
			.map(async (name) => ({ path: join(dir, name), at: (await stat(join(dir, name))).mtimeMs })),
	)
	return files.toSorted((a, b) => b.at - a.at)[0]?.path ?? null
}

/** A model that knows English alone says so in its name. */
export const modelLanguages = (model: string, languages: readonly string[]): readonly string[] =>
	/\.en(\.|-)/.test(model) ? ['en'] : languages

export function whisperCliEngine(
	program: string,
	{ model, languages, threads, confine }: Whisper,
): SpeechEngine {
	const options = ['-t', String(threads), '-ojf', '-of', '{output_base}', '-np']
	const template = [program, '-m', model, '-f', '{input}', '-l', '{language}', ...options]
	return commandEngine({ template, languages, confine })
}

/** Returns the main file of the module if it is installed beside the models or with the daemon, or null. */
export function findWhisperNode(modelsDir: string): string | null {
	for (const base of [join(modelsDir, 'models'), import.meta.filename])
		try {
			return createRequire(base).resolve(MODULE)
		} catch {
			// It is not installed there.
		}
	return null
}

export async function whisperNodeEngine(
	module: string,
	ffmpeg: string,
	{ model, languages, threads, confine }: Whisper,
): Promise<SpeechEngine> {
	const main = await realpath(module)
	// The native code lies in a package beside it: `node_modules/@fugood`.
	const packages = dirname(main.slice(0, main.lastIndexOf('whisper.node') + 'whisper.node'.length))
	const template = [
		...[process.execPath, SCRIPT, '{input}', '{language}', ffmpeg, main, model],
		String(threads),
	]
	return commandEngine({ template, languages, confine, readable: [packages] })
}

/** Whether the output of `ffmpeg -filters` lists the filter, which ffmpeg has from version 8 on if built with it. */
export const hasWhisperFilter = (filters: string): boolean =>
	filters.split('\n').some((line) => /^\s*\S+\s+whisper\s+A->A\s/.test(line))

/** Returns the engine, or null if ffmpeg lacks the filter or a path can't be written in a filter. */
export async function ffmpegWhisperEngine(
	ffmpeg: string,
	{ model, languages, confine }: Whisper,
): Promise<SpeechEngine | null> {
	if (!/^[\w./+-]+$/.test(model)) return null
	const listed = await promisify(execFile)(ffmpeg, ['-hide_banner', '-filters'], {
		timeout: FILTERS_TIMEOUT_MS,
	}).catch(() => null)
	if (!listed || !hasWhisperFilter(listed.stdout)) return null
	const filter = `whisper=model=${model}:language={language}:queue=${QUEUE_SEC}:destination=${OUTPUT_NAME}:format=json:use_gpu=false`
	const template = [
		...[ffmpeg, '-nostdin', '-v', 'error', '-i', 'file:{input}'],
		...['-af', filter, '-f', 'null', '-'],
	]
	return {
		...commandEngine({ template, languages, confine, readable: [model], isSilentWithoutSpeech: true }),
		name: 'ffmpeg-whisper',
	}
}
