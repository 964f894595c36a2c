import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Transcript } from '#schema/contract/ai/transcripts.ts'
import { writeSubRip, writeWebVtt } from '../../../../edge/ai/transcripts/subtitle-files.ts'
import { layOutSubtitles, type Subtitle } from '../../../../edge/ai/transcripts/subtitle-layout.ts'
import { timeWords } from '../../../../edge/ai/transcripts/word-times.ts'
import { measureTextWidth } from '../../../../edge/ai/transcripts/words.ts'

type Span = { start: number; end: number; text: string; suspect?: boolean }

const transcriptOf = (spans: Span[], duration = spans.at(-1)?.end ?? 0): Transcript => ({
	language: 'en',
	duration,
	text: spans.map(({ text }) => text).join(' '),
	segments: spans.map((span, id) => ({ id, ...span, words: timeWords(span.text, span, []) })),
})

const layOut = (spans: Span[], duration?: number) => layOutSubtitles(transcriptOf(spans, duration))
const linesOf = (subtitles: Subtitle[]) => subtitles.map(({ lines }) => lines)

describe('subtitles', () => {
	test('subtitles end with sentences, and break lines after punctuation', () => {
		const text =
			'We start with the engine of the boat. Then we look at the sails, which are older than anyone on board. That is all.'
		expect(linesOf(layOut([{ start: 0, end: 12, text }]))).toEqual([
			['We start with the engine of the boat.'],
			['Then we look at the sails,', 'which are older than anyone on board.'],
			['That is all.'],
		])
	})

	test('subtitles are not continued over a pause', () => {
		const subtitles = layOut([
			{ start: 0, end: 1, text: 'One' },
			{ start: 3, end: 4, text: 'two' },
		])
		expect(linesOf(subtitles)).toEqual([['One'], ['two']])
	})

	test('subtitles stay long enough to be read, and close short gaps', () => {
		const [first, second, third] = layOut(
			[
				{ start: 1, end: 1.2, text: 'Yes, of course we do.' },
				{ start: 2.4, end: 3, text: 'Well.' },
				{ start: 8, end: 9, text: 'Later.' },
			],
			20,
		)
		expect(first).toMatchObject({ fromMs: 1_000, toMs: 2_320 })
		expect(second).toMatchObject({ fromMs: 2_400, toMs: 3_233 })
		expect(third).toMatchObject({ fromMs: 8_000, toMs: 9_000 })
	})

	test('subtitles change at a shot change where the words allow it, and do not outlast it', () => {
		const text = 'We walked along the river in the morning, and we swam in the lake'
		const wordMs = (word: string, subtitles: Subtitle[]) =>
			subtitles.find(({ lines }) => lines.join(' ').startsWith(word))?.fromMs
		const spans = [{ start: 0, end: 6, text }]
		const { words } = transcriptOf(spans).segments[0] ?? { words: [] }
		const cut = words.find(({ word }) => word === 'and')?.start ?? 0
		expect(layOut(spans)).toHaveLength(1)
		const subtitles = layOutSubtitles(transcriptOf(spans), [cut])
		expect(subtitles).toHaveLength(2)
		expect(wordMs('and we swam', subtitles)).toBe(Math.round(cut * 1_000))

		const [short] = layOutSubtitles(
			transcriptOf([{ start: 1, end: 2, text: 'A text that takes long to read.' }], 9),
			[2.2],
		)
		expect(short).toMatchObject({ fromMs: 1_000, toMs: 2_200 })
	})

	test('subtitles leave out text that was probably not said', () => {
		const subtitles = layOut([
			{ start: 0, end: 1, text: 'Real.' },
			{ start: 1, end: 2, text: 'Thanks for watching!', suspect: true },
		])
		expect(linesOf(subtitles)).toEqual([['Real.']])
	})

	test('the width of subtitles counts an East Asian character as two', () => {
		const text = '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。'
		for (const { lines } of layOut([{ start: 0, end: 10, text }]))
			for (const line of lines) expect(measureTextWidth(line)).toBeLessThanOrEqual(42)
	})

	const speech = fc
		.array(
			fc.record({
				pause: fc.constantFrom(0, 0, 0.2, 0.7, 2),
				seconds: fc.double({ min: 0.3, max: 15, noNaN: true }),
				words: fc.array(fc.stringMatching(/^[a-z]{1,12}[.,?]?$/), { minLength: 1, maxLength: 40 }),
			}),
			{ maxLength: 12 },
		)
		.map((parts) => {
			let at = 0
			return parts.map(({ pause, seconds, words }) => {
				const start = at + pause
				at = start + seconds
				return { start, end: at, text: words.join(' ') }
			})
		})

	test('subtitles contain every word once, in two lines of 42 at most, and never overlap', () => {
		fc.assert(
			fc.property(speech, (spans) => {
				const subtitles = layOut(spans)
				expect(subtitles.flatMap(({ lines }) => lines).join(' ')).toBe(
					spans.map(({ text }) => text).join(' '),
				)
				for (const [at, { fromMs, toMs, lines }] of subtitles.entries()) {
					expect(lines.length).toBeLessThanOrEqual(2)
					for (const line of lines) expect(measureTextWidth(line)).toBeLessThanOrEqual(42)
					expect(Number.isInteger(fromMs) && Number.isInteger(toMs)).toBe(true)
					expect(toMs).toBeGreaterThan(fromMs)
					expect(fromMs).toBeGreaterThanOrEqual(subtitles[at - 1]?.toMs ?? 0)
				}
			}),
		)
	})
})

describe('subtitle files', () => {
	const hostile: Subtitle[] = [
		{ fromMs: 59_999, toMs: 3_600_000, lines: ['a --> b <i>&amp;', '{\\an8}c'] },
		{ fromMs: 360_000_000, toMs: 360_000_001, lines: ['d'] },
	]

	test('WebVTT files escape markup, and a cue can’t contain an arrow', () => {
		expect(writeWebVtt(hostile)).toBe(
			'WEBVTT\n\n00:00:59.999 --> 01:00:00.000\na --&gt; b &lt;i&gt;&amp;amp;\n{\\an8}c\n\n100:00:00.000 --> 100:00:00.001\nd\n',
		)
		expect(writeWebVtt([])).toBe('WEBVTT\n\n')
	})

	test('SRT files contain no markup, as the format has no escapes', () => {
		expect(writeSubRip(hostile)).toBe(
			'1\r\n00:00:59,999 --> 01:00:00,000\r\na --› b ‹i›&amp;\r\n❴\\an8❵c\r\n\r\n2\r\n100:00:00,000 --> 100:00:00,001\r\nd\r\n',
		)
	})
})
