import { expect, test } from 'vitest'
import {
	readRecognition,
	UnreadableRecognitionError,
} from '../../../transcoder-daemon/speech/recognition-json.ts'

const read = (json: unknown) => readRecognition(JSON.stringify(json))

test('the tokens of whisper-cli are joined to words, without its marks', () => {
	const token = (text: string, from: number, to: number) => ({ text, offsets: { from, to } })
	expect(
		read({
			result: { language: 'en' },
			transcription: [
				{
					offsets: { from: 500, to: 2_000 },
					text: ' Unbelievable bread.',
					tokens: [
						token('[_BEG_]', 500, 500),
						token(' Un', 500, 700),
						token('believable', 700, 1_200),
						token(' bread', 1_200, 1_800),
						token('.', 1_800, 2_000),
					],
				},
			],
		}),
	).toEqual({
		language: 'en',
		segments: [
			{
				start: 0.5,
				end: 2,
				text: 'Unbelievable bread.',
				words: [
					{ word: 'Unbelievable', start: 0.5, end: 1.2 },
					{ word: 'bread.', start: 1.2, end: 2 },
				],
			},
		],
	})
})

test('words beside the segments are assigned to the segments', () => {
	const words = [
		{ word: 'One', start: 0, end: 0.4 },
		{ word: 'two', start: 1, end: 1.4 },
	]
	const segments = [
		{ start: 0, end: 0.5, text: 'One.' },
		{ start: 1, end: 1.5, text: 'Two.' },
	]
	expect(read({ language: 'english', segments, words }).segments.map((each) => each.words)).toEqual([
		[words[0]],
		[words[1]],
	])
})

test.each(['', 'no JSON', '{}', '[]', '{"text":"no times"}'])(
	'the output %j of a speech engine is rejected',
	(text) => {
		expect(() => readRecognition(text)).toThrow(UnreadableRecognitionError)
	},
)
