import { describe, expect, test } from 'vitest'
import { findQuote } from '../../../../edge/ai/transcripts/quotes.ts'
import { readSpokenScripts } from '../../../../scripts/bench/chapters/spoken-scripts.ts'

const transcript = {
	segments: [
		{ start: 0, end: 4, text: 'The cat sat on the mat.' },
		{ start: 4, end: 8, text: "It's an e-mail, about a mat.", suspect: true },
		{ start: 8, end: 12, text: 'A mat is where the dog sat.' },
	].map((segment, id) => ({
		id,
		...segment,
		words: segment.text
			.split(' ')
			.map((word, at) => ({ word, start: segment.start + at / 2, end: segment.start + at / 2 + 0.4 })),
	})),
}
const startsOf = (q: string) => findQuote(transcript, q).matches.map(({ startSec }) => startSec)

describe('a quote', () => {
	test.each(readSpokenScripts().filter(({ name }) => name !== 'lecture' && name !== 'interview'))(
		'a quote of any five words of $name is found where they are said',
		({ transcript }) => {
			const words = transcript.segments.flatMap((segment) => segment.words)
			for (let at = 0; at + 5 <= words.length; at++) {
				const q = words
					.slice(at, at + 5)
					.map(({ word }) => word)
					.join(' ')
				const { isQuote, matches } = findQuote(transcript, q)
				expect(isQuote, q).toBe(true)
				const distances = matches.map(({ startSec }) => Math.abs(startSec - (words[at]?.start ?? 0)))
				expect(Math.min(...distances), q).toBeLessThanOrEqual(1)
			}
		},
	)

	test('a quote is found without regard to case, accents, punctuation and segments', () => {
		expect(startsOf('CAT, sát')).toEqual([0.5])
		expect(startsOf('mat. A mat')).toEqual([2.5])
	})

	test('a quote may end within a word', () => {
		expect(startsOf('mat is whe')).toEqual([8.5])
	})

	test('a quote is never found in text that was probably not said', () => {
		expect(startsOf('mail')).toEqual([])
	})

	test('an inexact quote finds the segments with most of its words, unless it is in quotation marks', () => {
		expect(findQuote(transcript, 'dog mat')).toEqual({
			isQuote: false,
			matches: [{ startSec: 8.5, text: 'A mat is where the dog sat.' }],
		})
		for (const q of ['"dog mat"', '“dog mat”', '«dog mat»']) expect(startsOf(q)).toEqual([])
		expect(startsOf('"dog sat"')).toEqual([10.5])
	})

	test('a quote without letters is found nowhere', () => {
		for (const q of ['', ' ', '""', '?!']) expect(startsOf(q)).toEqual([])
	})
})
