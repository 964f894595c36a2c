import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProgramError } from '../ffmpeg/run.ts'
import { describeReason } from '../log.ts'
import type { ProvedEngine, SpeechEngine, SpeechTrial } from './engine.ts'

/** "One. Two. Three. Four. Five.", our own recording of espeak-ng, whose licence does not cover what it speaks. */
const SENTENCE = join(import.meta.dirname, 'trial-sentence.flac')
const SENTENCE_SEC = 5.6
const WORDS = 'one two three four five 1 2 3 4 5'.split(' ')
const MIN_WORDS = 3
/** Allows for loading a model of gigabytes from a slow disk. */
const TRIAL_MS = 180_000
const MAX_LINE = 200

/** Lets an engine recognize the trial sentence. Starting alone proves nothing. */
export async function proveEngine(
	engine: SpeechEngine,
	signal: AbortSignal,
): Promise<{ proved: ProvedEngine | null; trial: SpeechTrial }> {
	const startedAt = performance.now()
	const elapsed = () => performance.now() - startedAt
	const workDir = await mkdtemp(join(tmpdir(), 'playhouse-speech-'))
	try {
		const audioPath = join(workDir, 'sentence.flac')
		await copyFile(SENTENCE, audioPath)
		const speaksEnglish = engine.languages.some((each) => each === '*' || each.split('-')[0] === 'en')
		const { segments } = await engine.recognize({
			audioPath,
			language: speaksEnglish ? 'en' : (engine.languages[0] ?? null),
			workDir,
			signal,
			timeoutMs: TRIAL_MS,
			deadlineSec: TRIAL_MS / 1_000,
		})
		const problem = problemOf(segments, speaksEnglish)
		const ms = Math.round(elapsed())
		const realTimeFactor = Math.round((ms / 1_000 / SENTENCE_SEC) * 100) / 100
		const { name, languages } = engine
		return {
			proved: problem
				? null
				: { engine, speech: { engine: name, languages: [...languages], realTimeFactor } },
			trial: { engine: name, proved: problem === null, ms, reason: problem },
		}
	} catch (error) {
		signal.throwIfAborted()
		return {
			proved: null,
			trial: { engine: engine.name, proved: false, ms: Math.round(elapsed()), reason: explain(error) },
		}
	} finally {
		await rm(workDir, { recursive: true, force: true })
	}
}

/** Includes the program's last output, because the operator has nothing else to diagnose it with. */
function explain(error: unknown): string {
	const lines = error instanceof ProgramError ? error.stderr.trim().split('\n') : []
	const line = (lines.find((each) => each.includes('Error')) ?? lines.at(-1) ?? '').trim()
	return line === '' ? describeReason(error) : `${describeReason(error)}: ${line.slice(0, MAX_LINE)}`
}

type Segments = Awaited<ReturnType<SpeechEngine['recognize']>>['segments']

/** Returns why the text can't match the sentence, or null. Engines for other languages hear other words. */
function problemOf(segments: Segments, speaksEnglish: boolean): string | null {
	const heard = segments.flatMap(({ text }) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
	if (heard.length === 0) return 'it heard no words in a trial sentence'
	if (segments.some(({ start, end }) => start > SENTENCE_SEC || end <= start))
		return 'its times do not fit the trial sentence'
	const right = WORDS.filter((word) => heard.includes(word)).length
	return speaksEnglish && right < MIN_WORDS
		? `it recognized ${right} of 5 words in a trial sentence: ${heard.join(' ').slice(0, 100)}`
		: null
}
