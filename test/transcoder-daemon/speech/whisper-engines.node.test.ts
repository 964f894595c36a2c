/** @module-tag ffmpeg */

import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findSpeechEngine } from '../../../transcoder-daemon/speech/find-engine.ts'
import { hasWhisperFilter } from '../../../transcoder-daemon/speech/whisper-engines.ts'
import { programs } from '../ffmpeg/programs.ts'

let dir: string
beforeEach(async () => {
	dir = await mkdtemp(join(tmpdir(), 'playhouse-engines-'))
	await writeFile(join(dir, 'ggml-tiny.en.bin'), 'no weights')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const confine = (command: readonly string[]) => command
const find = (ffmpeg = programs.ffmpeg) =>
	findSpeechEngine(
		{ command: null, url: null, model: null, key: null, languages: ['*'], modelsDir: dir },
		{ env: { PATH: '/nowhere' }, ffmpeg, confine, confineWithHardware: confine, fetch, threads: 1 },
		new AbortController().signal,
	)

/** Installs a module with the interface of @fugood/whisper.node beside the models. */
async function installModule(transcribe: string): Promise<void> {
	const folder = join(dir, 'node_modules/@fugood/whisper.node')
	await mkdir(join(folder, 'lib'), { recursive: true })
	await writeFile(join(folder, 'package.json'), '{"main":"lib/index.js"}')
	await writeFile(
		join(folder, 'lib/index.js'),
		`exports.initWhisper = async ({ filePath }) => ({
			transcribeData: (sound, { language }) => ({ promise: (async () => { ${transcribe} })() }),
			release: async () => {},
		})`,
	)
}

/** Writes a program that answers as an ffmpeg 8 with its filter does. */
async function makeFfmpeg(lines: string): Promise<string> {
	const path = join(dir, 'ffmpeg')
	await writeFile(
		path,
		`#!/bin/sh
case "$*" in
*-filters*) echo ' .. whisper           A->A       Transcribe audio using whisper.cpp.' ;;
*whisper=model=${dir}/ggml-tiny.en.bin:language=en:queue=*:destination=recognized.json:format=json*) cat > recognized.json <<'END'
${lines}
END
;;
*) exit 1 ;;
esac
`,
	)
	await chmod(path, 0o755)
	return path
}

test('a module that hears the sentence is the engine, with its real-time factor', async () => {
	await installModule(`
		if (sound.byteLength !== Math.round(sound.byteLength / 2) * 2 || sound.byteLength < 5 * 32000) throw new Error('no samples')
		return { language, segments: [{ t0: 0, t1: 5000, text: ' One. Two. Three. Four. Five.' }] }`)
	const { proved, trials } = await find()
	expect(trials).toEqual([{ engine: 'whisper-node', proved: true, ms: expect.any(Number), reason: null }])
	expect(proved?.speech).toEqual({
		...{ engine: 'whisper-node', languages: ['en'], realTimeFactor: expect.any(Number) },
	})
})

test('a module that crashes ends its own process alone, and the trial says so', async () => {
	await installModule(
		`process.kill(process.pid, 'SIGSEGV'); await new Promise(() => setTimeout(() => {}, 60_000))`,
	)
	const { proved, trials } = await find()
	expect(proved).toBeNull()
	expect(trials).toMatchObject([
		{ engine: 'whisper-node', proved: false, reason: expect.stringContaining('SIGSEGV') },
	])
})

test('the filter of ffmpeg is an engine where it is built in', async () => {
	const ffmpeg = await makeFfmpeg(`{"start":0,"end":2300,"text":"One, two, three."}
{"start":2300,"end":5000,"text":"\\"Four\\", five."}`)
	const { proved, trials } = await find(ffmpeg)
	expect(trials).toMatchObject([{ engine: 'ffmpeg-whisper', proved: true }])
	expect(proved?.speech).toMatchObject({ engine: 'ffmpeg-whisper', languages: ['en'] })
})

test('a filter that hears nothing in the sentence is not proved', async () => {
	const { trials } = await find(await makeFfmpeg(''))
	expect(trials).toMatchObject([
		{ engine: 'ffmpeg-whisper', proved: false, reason: 'it heard no words in a trial sentence' },
	])
})

test('a filter with another name or without sound is not the one', () => {
	expect(hasWhisperFilter(' .. whisper           A->A       Transcribe audio using whisper.cpp.')).toBe(true)
	expect(hasWhisperFilter(' T.. whisper           A->A       Transcribe audio.')).toBe(true)
	expect(hasWhisperFilter(' .. whispers          A->A       Something else.')).toBe(false)
	expect(hasWhisperFilter(' .. volume            A->A       Has whisper in its text.')).toBe(false)
})

test('only whisper-cli and the program of the operator see graphics cards', async () => {
	await installModule('return {}')
	const ffmpeg = await makeFfmpeg('')
	const [own, cli] = ['own', 'whisper-cli'].map((name) => join(dir, name)) as [string, string]
	for (const program of [own, cli]) {
		await writeFile(program, '#!/bin/sh\nexit 1')
		await chmod(program, 0o755)
	}
	const [withCards, without] = [new Set<string>(), new Set<string>()]
	const { proved } = await findSpeechEngine(
		{ command: [own], url: null, model: null, key: null, languages: ['*'], modelsDir: dir },
		{
			...{ env: { PATH: dir }, ffmpeg, fetch, threads: 1 },
			confine(command) {
				without.add(command[0] ?? '')
				return command
			},
			confineWithHardware(command) {
				withCards.add(command[0] ?? '')
				return command
			},
		},
		new AbortController().signal,
	)
	expect(proved).toBeNull()
	expect(withCards).toEqual(new Set([own, cli]))
	expect(without).toEqual(new Set([process.execPath, ffmpeg]))
})
