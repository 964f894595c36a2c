import { expect, test } from 'vitest'
import {
	findSpeechPlanProblem,
	findTranscribeProblem,
} from '../../../../../edge/video/transcoding/plan/speech-problem.ts'

const effort = { workSec: 1, mediaSec: 1, hwAccelUsed: false, notes: [] }

/** A plan of a video of ten minutes, with chunks of equal length. */
function problemOfChunks(count: number) {
	const durationSec = 600
	const lengthMs = (durationSec * 1_000) / count
	const chunks = Array.from({ length: count }, (_, index) => {
		const [startMs, endMs] = [Math.round(index * lengthMs), Math.round((index + 1) * lengthMs)]
		return {
			file: { name: `chunk-${index}.flac`, bytes: 1 },
			...{ fromMs: startMs, startMs, endMs, toMs: endMs },
		}
	})
	const track = { id: 'a0', index: 0, channels: 2, isCopied: false, stream: 1, language: null, name: null }
	return findSpeechPlanProblem(
		{ kind: 'speech-plan', track: track as never, durationSec, chunkSec: { min: 450, max: 600 } },
		{
			kind: 'speech-plan',
			chunks,
			speech: [[0, 600_000]],
			loudness: { noiseDb: -60, speechDb: -20 },
			...effort,
		},
	)
}

test('a speech plan has no more chunks than its video can fill', () => {
	expect(problemOfChunks(2)).toBeNull()
	expect(problemOfChunks(62)).toBeNull()
	expect(problemOfChunks(63)).toContain('63 chunks')
})

/** A text of a chunk of ten seconds. */
const problemOfText = (segments: { text: string; words: { word: string; start: number; end: number }[] }[]) =>
	findTranscribeProblem(
		{ kind: 'transcribe', engine: 'whisper-cli', language: null, durationSec: 10, audio: 'chunk-0.flac' },
		{
			kind: 'transcribe',
			language: 'en',
			segments: segments.map((segment) => ({ start: 0, end: 10, ...segment })),
			...effort,
		},
	)
const word = { word: 'so', start: 1, end: 2 }

test('a transcript has no more words and characters than fit into its chunk, padded to 30 s', () => {
	expect(problemOfText([{ text: 'so', words: Array(800).fill(word) }])).toBeNull()
	expect(problemOfText([{ text: 'so', words: Array(801).fill(word) }])).toContain('801 words')
	expect(problemOfText(Array(8).fill({ text: 'a'.repeat(1_000), words: [] }))).toBeNull()
	expect(problemOfText(Array(9).fill({ text: 'a'.repeat(1_000), words: [] }))).toContain('9000 characters')
})
