import { expect, test } from 'vitest'
import { assembleTranscript } from '../../../../edge/ai/steps/transcript/assemble.ts'
import { toLanguageTag } from '../../../../edge/ai/steps/transcript/language.ts'
import type { RecognizedChunk } from '../../../../edge/ai/steps/transcript/timed-segment.ts'

/** Says one word each half second. */
const saying = (text: string, start = 0) => {
	const words = text.split(' ').map((word, k) => ({ word, start: start + k / 2, end: start + k / 2 + 0.4 }))
	return { start, end: words.at(-1)?.end ?? start, text, words }
}
const chunk = (startMs: number, endMs: number, overlapMs: number, text: string): RecognizedChunk => ({
	...{ startMs, endMs, fromMs: startMs - overlapMs, toMs: endMs + overlapMs },
	language: 'en',
	segments: [saying(text)],
})
const join = (chunks: RecognizedChunk[], speech: [number, number][] = [[0, 60_000]]) =>
	assembleTranscript({ durationSec: 60, speech, language: null, chunks })
const textsOf = async (chunks: RecognizedChunk[]) =>
	(await join(chunks)).segments.map(({ text }) => text).join(' ')

const first = { ...chunk(0, 3_000, 0, 'the bread needs flour and water to rise well'), toMs: 5_000 }
const second = {
	...chunk(3_000, 9_000, 2_000, 'needs flour and water to rise well in an oven'),
	fromMs: 1_000,
}

test('assembling chunks keeps every word at an overlapping seam once', async () => {
	expect(await textsOf([first, second])).toBe('the bread needs flour and water to rise well in an oven')
})

test('assembling chunks makes the same transcript in any order, however often each arrives', async () => {
	const expected = await join([first, second])
	expect(await join([second, first])).toEqual(expected)
	expect(await join([second, first, second, first])).toEqual(expected)
})

test('assembling chunks keeps one copy of a word with different times in two chunks', async () => {
	const late = { ...second, segments: [saying('water to rise well in an oven', 1.9)] }
	expect(await textsOf([first, late])).toBe('the bread needs flour and water to rise well in an oven')
})

const heard = (text: string, start = 0): RecognizedChunk => ({
	...chunk(0, 60_000, 0, ''),
	segments: [saying(text, start)],
})

test.each([
	['a text that repeats itself', heard('we bake bread so so so so it is good'), [[0, 60_000]]],
	['a text in silence', heard('thank you for watching', 20), [[0, 10_000]]],
] as const)('assembling chunks marks %s as suspect', async (_, chunk, speech) => {
	const { segments } = await join([chunk], speech as unknown as [number, number][])
	expect(segments.map(({ suspect }) => suspect)).toEqual([true])
})

test('assembling chunks leaves out a text with two signs of an invented transcription', async () => {
	expect((await join([heard('thanks thanks thanks thanks', 20)], [[0, 10_000]])).segments).toEqual([])
})

test('assembling chunks keeps a common phrase in time ranges with speech', async () => {
	const { segments } = await join([heard('thank you for watching')])
	expect(segments.map(({ suspect, text }) => [text, suspect])).toEqual([
		['thank you for watching', undefined],
	])
})

test.each([
	['english', 'en'],
	['German', 'de'],
	['en', 'en'],
	['eng', 'en'],
	['pt-br', 'pt-BR'],
	['auto', null],
	['', null],
])('maps the language %j of an engine to %j', (name, tag) => {
	expect(toLanguageTag(name)).toBe(tag)
})
