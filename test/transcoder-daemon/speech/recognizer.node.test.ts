/** @module-tag ffmpeg */

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { createCommandEngine } from '../../../transcoder-daemon/speech/command-engine.ts'
import { proveEngine } from '../../../transcoder-daemon/speech/prove.ts'
import { runSpeechPlan } from '../../../transcoder-daemon/tasks/speech-plan.ts'
import { runTranscribe } from '../../../transcoder-daemon/tasks/transcribe.ts'
import { needs } from '../../support/shared/needs.ts'
import { programs } from '../ffmpeg/programs.ts'
import { taskContext } from '../tasks/task-context.ts'

const wrapper = join(import.meta.dirname, '../../support/shared/speech/pocketsphinx.mjs')
const pocketsphinx = existsSync('/usr/bin/pocketsphinx_continuous')
const GRAMMAR = `#JSGF V1.0;
grammar numbers;
public <numbers> = (one | two | three | four | five)+;
`
/** The sound begins this long after the picture. */
const LATE_SEC = 2

let dir: string
let grammar: string
beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), 'playhouse-recognizer-'))
	grammar = join(dir, 'numbers.gram')
	await writeFile(grammar, GRAMMAR)
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const engineOf = (...more: string[]) =>
	createCommandEngine({
		template: [process.execPath, wrapper, '{input}', ...more],
		languages: ['en'],
		confine: (command) => command,
	})

const specOf = (durationSec: number): TaskSpecByKind<'speech-plan'> => ({
	kind: 'speech-plan',
	track: {
		id: 'a0',
		source: {
			...{ streamIndex: 1, codec: 'flac', profile: null, channels: 1, sampleRate: 16_000, bitrateKbps: null },
			...{ startSec: LATE_SEC, clockSec: null, durationSec: 6, language: null, title: null, isDefault: true },
		},
		...{ bitrateKbps: 128, sampleRate: 48_000, channels: 2, isCopied: false },
	},
	durationSec,
	chunkSec: { min: 4.5, max: 6 },
})

const make = (path: string, sound: string[]) =>
	execFileSync(programs.ffmpeg, [
		...['-loglevel', 'error', '-y', '-f', 'lavfi', '-i', 'color=s=64x64:r=10:d=10'],
		...['-itsoffset', String(LATE_SEC), ...sound, '-map', '0:v', '-map', '1:a'],
		...['-c:v', 'mpeg4', '-c:a', 'flac', path],
	])

describe('a real speech engine', needs({ pocketsphinx }), () => {
	test('a real speech engine is proved by a sentence, and a program that recognizes nothing is not', async () => {
		const signal = new AbortController().signal
		const { proved, trial } = await proveEngine(engineOf(grammar), signal)
		expect(trial).toMatchObject({ engine: 'pocketsphinx', proved: true, reason: null })
		expect(proved?.speech).toMatchObject({ engine: 'pocketsphinx', languages: ['en'] })
		const deaf = createCommandEngine({
			template: ['/usr/bin/printf', '%.0s{"segments":[]}', '{input}'],
			languages: ['*'],
			confine: (command) => command,
		})
		expect((await proveEngine(deaf, signal)).trial).toMatchObject({
			proved: false,
			reason: 'it heard no words in a trial sentence',
		})
	})

	test('a real speech engine transcribes chunks with the times of the video, though the sound starts late', async () => {
		const path = join(dir, 'late.mkv')
		make(path, ['-i', join(import.meta.dirname, '../../../transcoder-daemon/speech/trial-sentence.flac')])
		const context = taskContext(path, dir)
		const { chunks } = await runSpeechPlan(specOf(10), context)
		expect(chunks.length).toBeGreaterThan(1)
		const words: { word: string; start: number }[] = []
		for (const { file, fromMs, toMs } of chunks) {
			const durationSec = (toMs - fromMs) / 1_000
			const result = await runTranscribe(
				{
					...{ kind: 'transcribe', engine: 'pocketsphinx', language: 'en', durationSec },
					audio: 'https://store.example.org/chunk',
				},
				taskContext(path, dir, {
					speech: engineOf(grammar),
					fetchObject: () => readFile(join(dir, file.name)),
				}),
			)
			for (const segment of result.segments)
				for (const { word, start } of segment.words) words.push({ word, start: start + fromMs / 1_000 })
		}
		expect(words.map(({ word }) => word)).toEqual(['one', 'two', 'three', 'four', 'five'])
		// The words begin at these times in the file, as pocketsphinx hears them in the whole sentence.
		for (const [at, start] of [0, 1.06, 2.08, 3.22, 4.35].entries())
			expect(Math.abs((words[at]?.start ?? 0) - LATE_SEC - start)).toBeLessThan(0.5)
	})
})

test('noise contains no speech, and gets no chunk', async () => {
	const path = join(dir, 'noise.mkv')
	make(path, ['-f', 'lavfi', '-i', 'anoisesrc=r=16000:a=0.1:d=8:seed=1'])
	const { chunks, speech } = await runSpeechPlan({ ...specOf(8), durationSec: 8 }, taskContext(path, dir))
	expect([chunks, speech]).toEqual([[], []])
})
