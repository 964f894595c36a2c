/** @module-tag ffmpeg */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, describe as group, test } from 'vitest'
import { getChapters } from '#schema/contract/ai/chapters.ts'
import { getTranscript, type Transcript } from '#schema/contract/ai/transcripts.ts'
import {
	findTextTilingBoundaries,
	placeEvenBoundaries,
	placeRandomBoundaries,
} from '../../../scripts/bench/chapters/baselines.ts'
import { scoreBoundaries } from '../../../scripts/bench/chapters/scores.ts'
import { readScript } from '../../../scripts/bench/chapters/spoken-scripts.ts'
import { computeWordErrorRate, splitIntoWords } from '../../../scripts/bench/speech/word-errors.ts'
import type { MachineProcess } from '../../../scripts/lib/machine-process.ts'
import { needs } from '../../support/shared/needs.ts'
import { chooserFrom } from '../../support/shared/random.ts'
import { hasSclite, scliteErrors } from '../../support/shared/speech/sclite.ts'
import {
	makeNoiseClip,
	makeSpokenClip,
	type Spoken,
	type SpokenClip,
} from '../../support/shared/speech/spoken-clip.ts'
import { programs } from '../../transcoder-daemon/ffmpeg/programs.ts'
import { until } from '../fleet/installation.ts'
import { aiEnded, claimedTasks, DECOYS, speechRequirements, startHearingMachine } from './hearing-machine.ts'
import { type Installation, startInstallation } from './one-command-installation.ts'
import { recognizeInChunks, recognizeWhole } from './recognize.ts'

const isRequested = process.env.TRANSCRIPTION_PROOF === 'all'
/** A script of 142 s is spoken this often in the video of two chunks. */
const ROUNDS = 6
const TOPIC_PAUSE_SEC = 2.5
const PAUSES_SEC = [0.6, 1.2, 0.8]

const MAX_ERROR_RATE = 0.13
const MIN_OTHER_ORDER_RATE = 0.8
const MAX_OFFSET_SEC = 0.5
/** How much worse a text may become by chunks. */
const MAX_LOSS = 0.02
/** A sentence begins after a pause that is at least this long, as far as the words show. */
const PAUSE_SEC = 0.35
const RANDOM_SEEDS = 20
const DICTIONARY = '/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict'

const topics = readScript('three-topics').trim().split(/\n\n+/).map(sentencesIn)
const script: Spoken[] = topics.flatMap((sentences, topic) =>
	sentences.map((text, at) => ({
		text,
		pauseSec: at === 0 && topic > 0 ? TOPIC_PAUSE_SEC : (PAUSES_SEC[at % PAUSES_SEC.length] ?? 1),
	})),
)
const topicStarts = topics.slice(1).map((_, at) => topics.slice(0, at + 1).flat().length)
const said = script.map(({ text }) => text).join(' ')

function sentencesIn(paragraph: string): string[] {
	return (paragraph.match(/[^.]+\./g) ?? []).map((sentence) => sentence.trim())
}

group(
	'an installation that writes down a long talk',
	{
		shuffle: false,
		...needs({
			'npm run prove -- transcription': isRequested,
			...(isRequested && { ...speechRequirements(), sclite: hasSclite }),
		}),
	},
	() => {
		let installation: Installation
		let machine: MachineProcess
		let dictionary: string
		let digits: string
		let clip: SpokenClip
		let long: SpokenClip
		let ofOneMachine: Transcript

		beforeAll(async () => {
			installation = await startInstallation(['--no-daemon'], { LEASE_SECONDS: '20' })
			const { folder } = installation
			dictionary = join(folder, 'words.dict')
			const words = new Set(splitIntoWords(`${said} ${DECOYS}`))
			const lines = readFileSync(DICTIONARY, 'utf8').split('\n')
			const wordOf = (line: string) => (line.split(' ')[0] ?? '').replace(/\(\d+\)$/, '')
			await writeFile(dictionary, `${lines.filter((line) => words.has(wordOf(line))).join('\n')}\n`)
			digits = join(folder, 'digits.gram')
			const grammar = 'public <digits> = (one | two | three | four | five | six | seven | eight | nine)+;'
			await writeFile(digits, `#JSGF V1.0;\ngrammar digits;\n${grammar}\n`)
			for (const name of ['short', 'long']) await mkdir(join(folder, name))
			clip = makeSpokenClip(programs.ffmpeg, join(folder, 'short'), script)
			const rounds = Array.from({ length: ROUNDS }, () => script)
			long = makeSpokenClip(programs.ffmpeg, join(folder, 'long'), rounds.flat())
			machine = await startHearingMachine(installation, 'first', dictionary, [digits])
		})
		afterAll(async () => {
			machine?.signal('SIGTERM')
			await machine?.ended
			await installation?.[Symbol.asyncDispose]()
		})

		const transcriptOf = async (assetId: string): Promise<Transcript> => {
			const { transcript } = (await installation.owner.client().call(getTranscript, { params: { assetId } }))
				.data
			return transcript
		}

		test('the transcription finds words at their times, and chapters find the topics', async () => {
			const { owner } = installation
			expect(clip.seconds).toBeGreaterThan(90)
			const assetId = await owner.process(clip.path, 'The garden shed')
			expect(await aiEnded(installation, assetId)).toMatchObject({ transcriptionStatus: 'completed' })
			const transcript = await transcriptOf(assetId)

			const rate = computeWordErrorRate(said, transcript.text)
			const otherOrder = shuffled(splitIntoWords(said)).join(' ')
			const otherRate = computeWordErrorRate(otherOrder, transcript.text)
			const [count = Number.NaN] = await scliteErrors([
				{ said: splitIntoWords(said).join(' '), heard: splitIntoWords(transcript.text).join(' ') },
			])
			const scliteRate = count / splitIntoWords(said).length
			const offsets = clip.starts.map((start) => nearest(utteranceStarts(transcript), start))
			const elsewhere = clip.starts.map((start) => nearest(utteranceStarts(transcript), start + 1.7))
			const worst = Math.max(...offsets)
			const byChance = elsewhere.filter((offset) => offset <= MAX_OFFSET_SEC).length / elsewhere.length
			print([
				`${clip.seconds.toFixed(0)} s, ${splitIntoWords(said).length} words, ${script.length} sentences`,
				`word error rate ${percent(rate)}; sclite ${percent(scliteRate)}; shuffled reference ${percent(otherRate)}`,
				`worst beginning of a sentence: ${worst.toFixed(2)} s off; 1.7 s later, ${percent(byChance)} would fit`,
			])
			expect(rate).toBeLessThanOrEqual(MAX_ERROR_RATE)
			expect(Math.abs(scliteRate - rate) * splitIntoWords(said).length).toBeLessThan(3)
			expect(otherRate).toBeGreaterThan(MIN_OTHER_ORDER_RATE)
			expect(worst).toBeLessThanOrEqual(MAX_OFFSET_SEC)
			expect(byChance).toBeLessThan(0.5)

			const { chapters } = (await owner.client().call(getChapters, { params: { assetId } })).data
			const truth = topicStarts.map((at) => clip.starts[at] ?? 0)
			const found = chapters.slice(1).map(({ startTime }) => startTime)
			const score = (boundaries: readonly number[]) => scoreBoundaries(boundaries, truth, clip.seconds)
			const scores = {
				ours: score(found),
				texttiling: score(findTextTilingBoundaries(transcript)),
				even: score(placeEvenBoundaries(truth.length, clip.seconds)),
				random: mean(
					Array.from({ length: RANDOM_SEEDS }, (_, seed) =>
						score(placeRandomBoundaries(truth.length, clip.seconds, seed)),
					),
				),
			}
			print([
				`chapters: ${chapters.map(({ title, startTime }) => `${startTime.toFixed(1)} ${title}`).join(' | ')}; truth ${truth.join(', ')}`,
				'method          Pk   F1@5s',
				...Object.entries(scores).map(
					([name, { pk, f1 }]) =>
						`${name.padEnd(12)}${pk.toFixed(3).padStart(6)}${f1.toFixed(3).padStart(8)}`,
				),
			])
			for (const name of ['texttiling', 'even', 'random'] as const) {
				expect(scores.ours.pk, name).toBeLessThan(scores[name].pk)
				expect(scores.ours.f1, name).toBeGreaterThan(scores[name].f1)
			}
		})

		test('noise contains no words for the transcription', async () => {
			const assetId = await installation.owner.process(
				makeNoiseClip(programs.ffmpeg, installation.folder, 30),
				'Noise',
			)
			expect(await aiEnded(installation, assetId)).toMatchObject({
				reasons: { transcription: 'nobody speaks in this video' },
			})
			await expect(transcriptOf(assetId)).rejects.toMatchObject({ status: 404 })
		})

		test('the transcription is as good in chunks as in one piece', async () => {
			const sound = join(installation.folder, 'short.flac')
			execFileSync(programs.ffmpeg, ['-v', 'error', '-i', clip.path, '-ar', '16000', '-ac', '1', sound])
			const at = { sound, words: dictionary, durationMs: Math.round(clip.seconds * 1_000) }
			const rates = {
				whole: computeWordErrorRate(said, recognizeWhole(at)),
				'cut in pauses': computeWordErrorRate(
					said,
					await recognizeInChunks(at, { minMs: 30_000, maxMs: 60_000 }),
				),
				'cut anywhere': computeWordErrorRate(
					said,
					await recognizeInChunks(at, { minMs: 30_000, maxMs: 60_000, isContinuous: true }),
				),
			}
			print(Object.entries(rates).map(([name, rate]) => `${name}: word error rate ${percent(rate)}`))
			expect(rates['cut in pauses'] - rates.whole).toBeLessThanOrEqual(MAX_LOSS)
			expect(rates['cut anywhere'] - rates.whole).toBeLessThanOrEqual(MAX_LOSS)
		})

		test('a video of more than twelve minutes is cut into chunks, and transcribed completely', async () => {
			expect(long.seconds).toBeGreaterThan(720)
			const before = claimedTasks(machine, 'transcribe')
			const assetId = await installation.owner.process(long.path, 'Six evenings')
			expect(await aiEnded(installation, assetId)).toMatchObject({ transcriptionStatus: 'completed' })
			ofOneMachine = await transcriptOf(assetId)
			expect(claimedTasks(machine, 'transcribe') - before).toBe(2)
			const saidOften = Array.from({ length: ROUNDS }, () => said).join(' ')
			const rate = computeWordErrorRate(saidOften, ofOneMachine.text)
			const sound = join(installation.folder, 'long.flac')
			execFileSync(programs.ffmpeg, ['-v', 'error', '-i', long.path, '-ar', '16000', '-ac', '1', sound])
			const whole = computeWordErrorRate(saidOften, recognizeWhole({ sound, words: dictionary }))
			const worst = Math.max(...long.starts.map((start) => nearest(utteranceStarts(ofOneMachine), start)))
			print([
				`${long.seconds.toFixed(0)} s in 2 chunks: word error rate ${percent(rate)}; at once ${percent(whole)}`,
				`worst beginning of a sentence: ${worst.toFixed(2)} s off`,
			])
			expect(rate - whole).toBeLessThanOrEqual(MAX_LOSS)
			expect(worst).toBeLessThanOrEqual(MAX_OFFSET_SEC)
		})

		test('a transcript stays the same if one of two transcribing machines is killed', async () => {
			const before = claimedTasks(machine, 'transcribe')
			const victim = await startHearingMachine(installation, 'second', dictionary, [digits])
			const assetId = await installation.owner.process(long.path, 'Six evenings again')
			await until(async () => (claimedTasks(victim, 'transcribe') > 0 ? true : null))
			victim.signal('SIGKILL')
			await victim.ended
			expect(await aiEnded(installation, assetId)).toMatchObject({ transcriptionStatus: 'completed' })
			// Both chunks: its own, and that of the machine that was killed.
			expect(claimedTasks(machine, 'transcribe') - before).toBe(2)
			const transcript = await transcriptOf(assetId)
			expect(transcript).toEqual(ofOneMachine)
			print([
				`one of two machines killed: the same ${transcript.segments.length} segments, ${splitIntoWords(transcript.text).length} words`,
			])
		})
	},
)

/** When somebody begins to speak after a pause. */
const utteranceStarts = ({ segments }: Transcript): number[] => {
	const words = segments.flatMap((segment) => segment.words)
	return words.flatMap(({ start }, at) =>
		start - (words[at - 1]?.end ?? Number.NEGATIVE_INFINITY) >= PAUSE_SEC ? [start] : [],
	)
}

const nearest = (times: readonly number[], to: number): number =>
	Math.min(...times.map((time) => Math.abs(time - to)))

function shuffled(words: readonly string[]): string[] {
	const { below } = chooserFrom(1)
	const rest = [...words]
	return words.flatMap(() => rest.splice(below(rest.length), 1))
}

const mean = (all: readonly { pk: number; f1: number }[]) => ({
	pk: all.reduce((sum, { pk }) => sum + pk, 0) / all.length,
	f1: all.reduce((sum, { f1 }) => sum + f1, 0) / all.length,
})

const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`

/** What the proof measures is quoted in docs/benchmarks.md. */
const print = (lines: readonly string[]) => console.log(lines.join('\n'))
