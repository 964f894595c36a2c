import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { runCommand } from '../ffmpeg/run.ts'
import type { Access } from '../tasks/task.ts'
import type { SpeechEngine, SpeechJob } from './engine.ts'
import { readRecognition } from './recognition-json.ts'

/** About 12 hours of speech with the times of all tokens. */
const MAX_OUTPUT_BYTES = 64 * 1024 ** 2

export type Confine = (command: readonly string[], access: Access, deadlineSec: number) => readonly string[]

type Command = {
	/** Program and arguments, in which `{input}`, `{language}`, `{output}` and `{output_base}` are replaced. */
	template: readonly string[]
	languages: readonly string[]
	confine: Confine
}

/** A local program as an engine. It runs in the sandbox, without network. */
export const createCommandEngine = ({ template, languages, confine }: Command): SpeechEngine => ({
	name: engineNameOf(template),
	languages,

	async recognize({ audioPath, language, workDir, signal, timeoutMs, deadlineSec }: SpeechJob) {
		const base = join(workDir, 'recognized')
		const values: Record<string, string> = {
			'{input}': audioPath,
			'{language}': language ?? 'auto',
			'{output}': `${base}.json`,
			'{output_base}': base,
		}
		const command = template.map((part) =>
			part.replaceAll(/\{(?:input|language|output|output_base)\}/g, (name) => values[name] ?? name),
		)
		const named = template.filter((part, at) => at > 0 && isAbsolute(part) && existsSync(part))
		const stdout = await runCommand(
			{
				programs: { confine: (each, access) => confine(each, access, deadlineSec) },
				command,
				access: { workDir, readable: [...named, audioPath] },
				signal,
				timeoutMs,
			},
			MAX_OUTPUT_BYTES,
		)
		return readRecognition((await readOutput(`${base}.json`)) ?? stdout)
	},
})

/** The name of the program, or of the script that an interpreter runs. */
function engineNameOf(template: readonly string[]): string {
	const script = template.find((part, at) => at > 0 && /^\/.*\.(m?js|py|sh|ts)$/.test(part))
	const name = basename(script ?? template[0] ?? '').replace(/\.\w+$/, '')
	const plain = name.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-')
	return plain.replace(/^[^a-z0-9]+/, '').slice(0, 40) || 'command'
}

async function readOutput(path: string): Promise<string | null> {
	try {
		const { size } = await stat(path)
		if (size > MAX_OUTPUT_BYTES) throw new Error(`the output exceeds ${MAX_OUTPUT_BYTES} bytes`)
		return await readFile(path, 'utf8')
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
		throw error
	}
}
