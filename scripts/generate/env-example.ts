import { readFile, writeFile } from 'node:fs/promises'
import { Variables } from '../../edge/platform/env.ts'
import { readFlags } from '../lib/command-options.ts'

const source = new URL('../../edge/platform/env.ts', import.meta.url)
const file = new URL('../../.env.example', import.meta.url)

const head = `# Configuration of Playhouse. Copy this file to .env and set what you need; everything is optional under npm start.
# npm start also reads HOST, PORT, DATA_DIR, TRUST_PROXY, FFMPEG_PATH and FFPROBE_PATH: npm start -- --help
# A value can also be in a file, whose path is in the variable with _FILE behind its name, such as AUTH_SECRET_FILE.
#
# Generated from edge/platform/env.ts by npm run env-example. A value shown is the default.
`

/** Returns .env.example: every variable with its doc comment and default value. */
export function writeEnvExample(typescript: string): string {
	const comments = commentsOf(typescript)
	const entries = Object.entries(Variables.shape).map(([name, schema]) => {
		const comment = comments.get(name)
		if (!comment) throw new Error(`${name} has no doc comment in edge/platform/env.ts; write one`)
		return `\n${comment.map((line) => `# ${line}\n`).join('')}# ${name}=${defaultOf(schema)}\n`
	})
	return head + entries.join('')
}

/** Returns the lines of each doc comment in `Variables`, by property name. */
function commentsOf(typescript: string): Map<string, string[]> {
	const [, body = ''] = typescript.split('export const Variables = ')
	const found = new Map<string, string[]>()
	for (const [, comment = '', name = ''] of body.matchAll(
		/\/\*\*([^*]*(?:\*(?!\/)[^*]*)*)\*\/\s*([A-Z][A-Z0-9_]*):/g,
	))
		found.set(
			name,
			comment
				.split('\n')
				.map((line) => line.replace(/^\s*\*?\s*/, '').trimEnd())
				.filter(Boolean),
		)
	return found
}

function defaultOf(schema: (typeof Variables.shape)[keyof typeof Variables.shape]): string {
	const value = schema.parse(undefined)
	return value === undefined || Array.isArray(value) ? '' : String(value)
}

const help = `Usage: npm run env-example [-- --check]

Writes .env.example from the variables in edge/platform/env.ts. With --check it fails if the file differs.`

if (import.meta.main) {
	const { check } = readFlags(help, 'check')
	const text = writeEnvExample(await readFile(source, 'utf8'))
	if (!check) {
		await writeFile(file, text)
		console.log(`.env.example: ${Object.keys(Variables.shape).length} variables`)
	} else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
		console.error('.env.example differs from edge/platform/env.ts; run: npm run env-example')
		process.exitCode = 1
	}
}
