import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { timeWords } from '../../../../edge/ai/transcripts/word-times.ts'
import { splitWords } from '../../../../edge/ai/transcripts/words.ts'

const known = [
	{ word: 'the', start: 1, end: 1.2 },
	{ word: 'quick', start: 1.2, end: 1.6 },
	{ word: 'brown', start: 1.8, end: 2.2 },
	{ word: 'fox', start: 2.4, end: 3 },
]
const span = { start: 1, end: 3 }

describe('the times of words', () => {
	test('the times of words stay where an edit changed only capitals and punctuation', () => {
		const words = timeWords('The quick, brown fox!', span, known)
		expect(words.map(({ word }) => word)).toEqual(['The', 'quick,', 'brown', 'fox!'])
		expect(words.map(({ start, end }) => [start, end])).toEqual(known.map(({ start, end }) => [start, end]))
	})

	test('new words share the time between unchanged words by their lengths', () => {
		expect(timeWords('the very red fox', span, known)).toEqual([
			{ word: 'the', start: 1, end: 1.2 },
			{ word: 'very', start: 1.2, end: 1.886 },
			{ word: 'red', start: 1.886, end: 2.4 },
			{ word: 'fox', start: 2.4, end: 3 },
		])
	})

	test('words share the whole segment if no word is known', () => {
		expect(timeWords('ab cd', { start: 0, end: 2 }, [])).toEqual([
			{ word: 'ab', start: 0, end: 1 },
			{ word: 'cd', start: 1, end: 2 },
		])
	})

	test('words and their times are found in scripts without spaces', () => {
		const words = timeWords('今日は天気がいいです。', { start: 0, end: 11 }, [])
		expect(words.length).toBeGreaterThan(3)
		expect(words.map(({ word }) => word).join('')).toBe('今日は天気がいいです。')
	})

	test('the times of words ascend within the segment, whatever the known words are', () => {
		const sec = fc.double({ min: 0, max: 100, noNaN: true })
		const word = fc.constantFrom('a', 'b', 'c', 'd,', 'E')
		fc.assert(
			fc.property(
				fc.array(word, { maxLength: 30 }),
				fc.array(fc.record({ word, start: sec, end: sec }), { maxLength: 30 }),
				sec,
				sec,
				(edited, words, a, b) => {
					const within = { start: Math.min(a, b), end: Math.max(a, b) }
					const timed = timeWords(edited.join(' '), within, words)
					expect(timed.map((each) => each.word)).toEqual(edited)
					const times = timed.flatMap(({ start, end }) => [start, end])
					expect(times).toEqual(times.toSorted((x, y) => x - y))
					for (const time of times) {
						expect(time).toBeGreaterThanOrEqual(within.start - 0.001)
						expect(time).toBeLessThanOrEqual(within.end + 0.001)
					}
				},
			),
		)
	})

	test('the times of words are shared without comparing if there are too many words', () => {
		const edited = Array.from({ length: 500 }, (_, at) => `new${at}`)
		const before = Array.from({ length: 500 }, (_, at) => ({ word: `old${at}`, start: at, end: at + 1 }))
		const timed = timeWords(edited.join(' '), { start: 0, end: 500 }, before)
		expect(timed).toHaveLength(500)
		expect(timed.at(-1)?.end).toBe(500)
	})
})

test('words keep their punctuation, and whether a space follows them', () => {
	expect(splitWords(' Hello,  world ')).toEqual([
		{ word: 'Hello,', separator: ' ' },
		{ word: 'world', separator: ' ' },
	])
	const unspaced = splitWords('東京、大阪 OK')
	expect(unspaced.map(({ word }) => word)).toEqual(['東京、', '大阪', 'OK'])
	expect(unspaced.map(({ separator }) => separator)).toEqual(['', ' ', ' '])
})
