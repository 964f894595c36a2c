import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WebVTTParser } from 'webvtt-parser'
import {
	readTranslatedTexts,
	splitIntoBatches,
	TranslationAnswer,
} from '../../../../../edge/ai/subtitles/translations/batches.ts'
import { writeSubRip, writeWebVtt } from '../../../../../edge/ai/transcripts/subtitle-files.ts'
import { layOutText } from '../../../../../edge/ai/transcripts/subtitle-layout.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'

const sources = ['One.', 'Two.', 'Three.']
const answer = (...given: [number, string][]) =>
	readTranslatedTexts({ translations: given.map(([number, text]) => ({ number, text })) }, sources)

describe('the answer to a batch', () => {
	test('the answer to a batch of translations has one text for each number, in any order', () => {
		expect(answer([3, 'Drei.'], [1, ' Eins.\n'], [2, 'Zwei.'])).toEqual(['Eins.', 'Zwei.', 'Drei.'])
	})

	test.each<[string, [number, string][]]>([
		[
			'too few',
			[
				[1, 'a'],
				[2, 'b'],
			],
		],
		[
			'too many',
			[
				[1, 'a'],
				[2, 'b'],
				[3, 'c'],
				[4, 'd'],
			],
		],
		[
			'a number twice',
			[
				[1, 'a'],
				[2, 'b'],
				[2, 'c'],
			],
		],
		[
			'another number',
			[
				[0, 'a'],
				[1, 'b'],
				[2, 'c'],
			],
		],
		[
			'an empty text',
			[
				[1, 'a'],
				[2, '\u200b '],
				[3, 'c'],
			],
		],
		[
			'a text that is too long',
			[
				[1, 'a'],
				[2, 'b'.repeat(1_001)],
				[3, 'c'],
			],
		],
	])('the answer to a batch of translations is not used with %s', (_, given) => {
		expect(answer(...given)).toBeNull()
	})
})

test('the same texts are always divided into the same batches of bounded size', () => {
	fc.assert(
		fc.property(fc.array(fc.string({ maxLength: 1_000 }), { maxLength: 200 }), (texts) => {
			const batches = splitIntoBatches(texts)
			expect(batches.flatMap((batch) => batch.texts)).toEqual(texts)
			for (const { from, texts: some } of batches) {
				expect(texts.slice(from, from + some.length)).toEqual(some)
				expect(some.length).toBeLessThanOrEqual(40)
				expect(some.length === 1 || some.join('').length <= 2_000).toBe(true)
			}
		}),
		{ numRuns: propertyRuns(50) },
	)
})

test('any answer at all leads to valid WebVTT with the times of the source', () => {
	const nasty = fc.constantFrom(
		'-->',
		'00:00:00.000 --> 00:10:00.000',
		'\n\nNOTE x\n\n',
		'WEBVTT',
		'<v Eve>',
		'&lt;script&gt;',
		'{\\an8}',
		'\u202e\u2028\0\r',
	)
	const text = fc.array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 30 })), { maxLength: 4 })
	const translations = fc
		.tuple(text, text, text)
		.map((texts) => texts.map((parts, at) => ({ number: at + 1, text: parts.join('') })))
	const parser = new WebVTTParser({ '&lt': '<', '&gt': '>', '&amp': '&' })
	let used = 0
	fc.assert(
		fc.property(translations, (given) => {
			const parsed = TranslationAnswer.safeParse(JSON.parse(JSON.stringify({ translations: given, x: 1 })))
			const texts = parsed.success ? readTranslatedTexts(parsed.data, sources) : null
			if (texts === null) return
			used++
			const subtitles = texts.map((each, at) => ({
				...{ fromMs: at * 2_000, toMs: at * 2_000 + 1_500 },
				lines: layOutText(each),
			}))
			const { errors, cues } = parser.parse(writeWebVtt(subtitles), 'subtitles')
			expect(errors).toEqual([])
			expect(cues.map(({ startTime, endTime }) => [startTime, endTime])).toEqual([
				[0, 1.5],
				[2, 3.5],
				[4, 5.5],
			])
			expect(writeWebVtt(subtitles)).not.toMatch(/[\u202e\u200b\u2028\0]|<v|\n\nNOTE/u)
			expect(writeSubRip(subtitles)).not.toMatch(/<|{|}/)
		}),
		{ numRuns: propertyRuns(300) },
	)
	expect(used).toBeGreaterThan(30)
})
