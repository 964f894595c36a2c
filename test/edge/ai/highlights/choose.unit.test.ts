import { describe, expect, test } from 'vitest'
import { chooseHighlights } from '../../../../edge/ai/highlights/selection/choose.ts'
import { scoreWindows } from '../../../../edge/ai/highlights/selection/windows.ts'

type Line = { text: string; pauseSec?: number; wordsPerSec?: number }

/** Speaks lines one after another, with the times of their words. */
function speak(lines: readonly Line[]) {
	let at = 1
	const segments = lines.map(({ text, pauseSec = 0.3, wordsPerSec = 2.5 }, id) => {
		at += pauseSec
		const start = at
		const words = text.split(' ').map((word) => {
			const from = at
			at += 1 / wordsPerSec
			return { word, start: from, end: at }
		})
		return { id, start, end: at, text, words }
	})
	return { transcript: { language: 'en', segments }, durationSec: at + 1, chapterStarts: [0] }
}

const dull = (at: number): Line => ({
	text: `then we put item number ${'abcdefghij'[at % 10]}${'klmnopqrst'[Math.floor(at / 10) % 10]} upon this shelf over here.`,
})
const flat = Array.from({ length: 60 }, (_, at) => dull(at))
const striking: Line[] = [
	{ text: 'So why did the bridge fall?', pauseSec: 2.5, wordsPerSec: 3.2 },
	{ text: 'The bridge fell because of one bolt, the smallest of 4000!', wordsPerSec: 3.2 },
	{ text: 'Nobody had checked that bolt for 30 years!', wordsPerSec: 3.2 },
	{ text: 'Remember: the worst mistake on a bridge is never the biggest bolt.', wordsPerSec: 3.2 },
	{ text: 'Is that not the most important truth about any bridge or bolt?', wordsPerSec: 3.2 },
]
const withStriking = [...flat.slice(0, 30), ...striking, ...flat.slice(30)]

describe('highlights', () => {
	test('a highlight is the part that stands out, from sentence to sentence, with its reasons', () => {
		const input = speak(withStriking)
		const [first, ...others] = chooseHighlights(input)
		expect(others).toEqual([])
		const { segments } = input.transcript
		const question = segments[30]
		if (!first || !question) throw new Error('nothing was chosen')
		expect(first.startMs / 1_000).toBeCloseTo(question.start - 0.2, 2)
		expect(segments.map(({ end }) => end)).toContainEqual(expect.closeTo((first.endMs - 150) / 1_000, 2))
		expect(first.reasons).toEqual(expect.arrayContaining(['emphasis', 'pause']))
		expect(first.title).toMatch(/bridge|bolt/i)
		expect(first.description).toMatch(/^So why did the bridge fall\?/)
		expect(first.score).toBeGreaterThan(0.5)
	})

	test.each([
		['in which nothing stands out', flat],
		['without speech', []],
	])('a video %s has no highlights', (_, lines) => {
		expect(chooseHighlights({ ...speak(lines), durationSec: 600 })).toEqual([])
	})

	test('a video shorter than 90 seconds has no highlights', () => {
		const input = speak([...flat.slice(0, 10), ...striking, ...flat.slice(10, 12)])
		expect(chooseHighlights({ ...input, durationSec: 89 })).toEqual([])
		expect(chooseHighlights({ ...input, durationSec: 91 })).toHaveLength(1)
	})

	test('highlights leave out text that an engine may have invented', () => {
		const input = speak(withStriking)
		const segments = input.transcript.segments.map((segment, at) => ({
			...segment,
			...(at >= 30 && at < 35 && { suspect: true as const }),
		}))
		expect(chooseHighlights({ ...input, transcript: { language: 'en', segments } })).toEqual([])
	})

	test('highlights do not overlap, are in the order of the video, and have lengths of clips', () => {
		const input = speak([...withStriking, ...flat, ...striking, ...flat, ...striking, ...flat.slice(0, 9)])
		const chosen = chooseHighlights({ ...input, durationSec: 3_600 })
		expect(chosen.length).toBeGreaterThan(1)
		for (const [at, { startMs, endMs }] of chosen.entries()) {
			expect(endMs - startMs).toBeGreaterThanOrEqual(15_000)
			expect(endMs - startMs).toBeLessThanOrEqual(60_400)
			expect(startMs).toBeGreaterThanOrEqual((chosen[at - 1]?.endMs ?? 0) + 15_000)
		}
		expect(new Set(chosen.map(({ title }) => title)).size).toBe(chosen.length)
	})

	test('a transcript with more than a day of speech yields no highlights', () => {
		const many = Array.from(
			{ length: 21_000 },
			(_, at) => (at % 50 < 5 ? striking[at % 5] : dull(at)) as Line,
		)
		expect(chooseHighlights({ ...speak(many), durationSec: 200_000 })).toEqual([])
	})

	test('windows for highlights have at most 60 sentences, however short these are', () => {
		const at = (index: number) => ({ start: index / 2, end: index / 2 + 0.4 })
		const sentences = Array.from({ length: 400 }, (_, index) => ({ ...at(index), words: [] }))
		const lengths = scoreWindows(sentences).map(({ from, to }) => to - from)
		expect(lengths.length).toBeGreaterThan(300)
		expect(Math.max(...lengths)).toBe(60)
	})

	test('a video has at most twelve highlights, however long it is', () => {
		const many = Array.from({ length: 3_000 }, (_, at) => (at % 50 < 5 ? striking[at % 5] : dull(at)) as Line)
		expect(chooseHighlights({ ...speak(many), durationSec: 20_000 })).toHaveLength(12)
	})
})
