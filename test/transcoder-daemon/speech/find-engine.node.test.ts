import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findSpeechEngine } from '../../../transcoder-daemon/speech/find-engine.ts'

let dir: string
beforeEach(async () => {
	dir = await mkdtemp(join(tmpdir(), 'playhouse-engines-'))
	await writeFile(join(dir, 'ggml-tiny.en.bin'), 'no weights')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const find = (command: string[] | null = null) =>
	findSpeechEngine(
		{ command, url: null, model: null, key: null, languages: ['*'], modelsDir: dir },
		{ env: { PATH: dir }, confine: (command) => command, fetch, threads: 1 },
		new AbortController().signal,
	)

/** Installs a program in the only folder of PATH. */
async function install(name: string, script: string): Promise<string> {
	const path = join(dir, name)
	await writeFile(path, `#!/bin/sh\n${script}\n`)
	await chmod(path, 0o755)
	return path
}
/** Writes what whisper.cpp does, to the path after `-of`. */
const hearing = (transcription: object[]) =>
	`while [ "$1" != -of ]; do shift; done\n/bin/cat > "$2.json" <<'END'\n${JSON.stringify({ transcription })}\nEND`

test('a whisper-cli that hears the sentence is the engine, with its real-time factor', async () => {
	await install(
		'whisper-cli',
		hearing([{ offsets: { from: 0, to: 5_000 }, text: ' One. Two. Three. Four. Five.' }]),
	)
	const { proved, trials } = await find()
	expect(trials).toEqual([{ engine: 'whisper-cli', proved: true, ms: expect.any(Number), reason: null }])
	expect(proved?.speech).toEqual({
		...{ engine: 'whisper-cli', languages: ['en'], realTimeFactor: expect.any(Number) },
	})
})

test('an engine that crashes ends its own process alone, and the trial says so', async () => {
	await install('whisper-cli', 'kill -SEGV $$')
	const { proved, trials } = await find()
	expect(proved).toBeNull()
	expect(trials).toMatchObject([
		{ engine: 'whisper-cli', proved: false, reason: expect.stringContaining('SIGSEGV') },
	])
})

test('an engine that hears nothing in the sentence is not proved', async () => {
	await install('whisper-cli', hearing([]))
	expect((await find()).trials).toMatchObject([
		{ engine: 'whisper-cli', proved: false, reason: 'it heard no words in a trial sentence' },
	])
})

test('the program of the operator is tried before whisper-cli', async () => {
	const own = await install('own', 'exit 1')
	await install('whisper-cli', 'exit 1')
	const { proved, trials } = await find([own])
	expect(proved).toBeNull()
	expect(trials.map(({ engine }) => engine)).toEqual(['own', 'whisper-cli'])
})

test('a model without whisper-cli is reported once, with what to install', async () => {
	expect((await find()).trials).toEqual([
		{
			...{ engine: 'whisper-cli', proved: false, ms: 0 },
			reason: `${join(dir, 'ggml-tiny.en.bin')} needs whisper-cli, which is not on PATH; install whisper.cpp, or set PLAYHOUSE_ASR_COMMAND`,
		},
	])
})
