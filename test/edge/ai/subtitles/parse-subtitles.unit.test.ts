import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOneLine } from '#schema/contract/kit/fields.ts'
import { parseSubtitles } from '../../../../edge/ai/subtitles/files/parse-subtitles.ts'
import { writeSubRip, writeWebVtt } from '../../../../edge/ai/transcripts/subtitle-files.ts'
import type { Subtitle } from '../../../../edge/ai/transcripts/subtitle-layout.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'

const parse = (text: string, isWebVtt = false) => parseSubtitles(new TextEncoder().encode(text), isWebVtt)
const cue = (fromMs: number, toMs: number, ...lines: string[]): Subtitle => ({ fromMs, toMs, lines })

describe('a WebVTT file', () => {
	test.each([
		['hours', '00:00:01.000 --> 00:00:02.500\nHi', [cue(1_000, 2_500, 'Hi')]],
		['no hours', '00:01.000 --> 01:02.500\nHi', [cue(1_000, 62_500, 'Hi')]],
		['many hours', '100:00:00.000 --> 100:00:01.000\nHi', [cue(360_000_000, 360_001_000, 'Hi')]],
		['settings', '00:01.000 --> 00:02.000 align:start line:0%\nHi', [cue(1_000, 2_000, 'Hi')]],
		['an identifier', 'first\n00:01.000 --> 00:02.000\nHi', [cue(1_000, 2_000, 'Hi')]],
		['two lines', '00:01.000 --> 00:02.000\nOne\n two ', [cue(1_000, 2_000, 'One', 'two')]],
		['tags', '00:01.000 --> 00:02.000\n<v Ada><i>Hi</i> <00:01.500>all', [cue(1_000, 2_000, 'Hi all')]],
		['escapes', '00:01.000 --> 00:02.000\n&lt;i&gt; &amp;amp; &#9731;', [cue(1_000, 2_000, '<i> &amp; ☃')]],
		['an escaped line end', '00:01.000 --> 00:02.000\na&#10;&#10;b', [cue(1_000, 2_000, 'a  b')]],
		['a sign that is not escaped', '00:01.000 --> 00:02.000\n1 < 2 & 3', [cue(1_000, 2_000, '1 < 2 & 3')]],
		['an arrow in its text', '00:01.000 --> 00:02.000\nthis --> that', [cue(1_000, 2_000, 'this --> that')]],
		[
			'notes, styles and regions',
			'STYLE\n::cue { color: red }\n\nREGION\nid:a\n\nNOTE\n00:01 is late\n\n00:01.000 --> 00:02.000\nHi\n\nNOTE end',
			[cue(1_000, 2_000, 'Hi')],
		],
		['an empty cue', '00:01.000 --> 00:02.000\n\n00:02.000 --> 00:03.000\nHi', [cue(2_000, 3_000, 'Hi')]],
		[
			'cues out of order',
			'00:02.000 --> 00:03.000\nB\n\n00:01.000 --> 00:05.000\nA',
			[cue(1_000, 5_000, 'A'), cue(2_000, 3_000, 'B')],
		],
	])('a subtitle file may have %s', (_, body, expected) => {
		expect(parse(`WEBVTT\n\n${body}\n`, true)).toEqual(expected)
		expect(parse(`\uFEFFWEBVTT - title\r\nKind: captions\r\n\r\n${body.replaceAll('\n', '\r\n')}`)).toEqual(
			expected,
		)
		expect(parse(`WEBVTT\r\r${body.replaceAll('\n', '\r')}`)).toEqual(expected)
	})

	test('a WebVTT file may lack the empty line after its header', () => {
		expect(parse('WEBVTT\n00:01.000 --> 00:02.000\nHi')).toEqual([cue(1_000, 2_000, 'Hi')])
	})

	test('a WebVTT file loses characters that would end a line elsewhere', () => {
		expect(parse('WEBVTT\n\n00:01.000 --> 00:02.000\na\u2028b\u0085c\0d')).toEqual([
			cue(1_000, 2_000, 'a b c\ufffdd'),
		])
	})
})

describe('an SRT file', () => {
	test.each([
		['commas', '1\n00:00:01,000 --> 00:00:02,500\nHi\n', [cue(1_000, 2_500, 'Hi')]],
		['dots, and no numbers', '00:00:01.000 --> 00:00:02.500\nHi\n', [cue(1_000, 2_500, 'Hi')]],
		['coordinates', '1\n00:00:01,000 --> 00:00:02,000 X1:10 X2:20\nHi', [cue(1_000, 2_000, 'Hi')]],
		[
			'markup',
			'1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<i>Hi</i> <font color="red">you</font> {b}\nI <3 {this} &amp;',
			[cue(1_000, 2_000, 'Hi you', 'I <3 {this} &amp;')],
		],
		[
			'no empty lines between subtitles',
			'1\n00:00:01,000 --> 00:00:02,000\nA\n2\n00:00:02,000 --> 00:00:03,000\n42\n',
			[cue(1_000, 2_000, 'A'), cue(2_000, 3_000, '42')],
		],
		[
			'more empty lines, and spaces',
			'\n\n1\n 00:00:01,000-->00:00:02,000 \n A \n \n\n2\n00:00:02,000 --> 00:00:03,000\nB',
			[cue(1_000, 2_000, 'A'), cue(2_000, 3_000, 'B')],
		],
	])('a subtitle file may have %s', (_, file, expected) => {
		expect(parse(file)).toEqual(expected)
		expect(parse(`\uFEFF${file.replaceAll('\n', '\r\n')}`)).toEqual(expected)
	})
})

const GOOD = '1\n00:00:01,000 --> 00:00:02,000\nHi\n\n'

describe('rejected files', () => {
	test.each([
		['with an SRT file as WebVTT', GOOD, true, /^line 1: a WebVTT file begins with WEBVTT/],
		['without subtitles', 'WEBVTT\n\nNOTE nothing\n', true, /^line 1: the file has no subtitles/],
		['that is no subtitles at all', 'Hello\nthere,\nworld', false, /^line 2: expected times/],
		['with a wrong arrow', `${GOOD}2\n00:00:02,000 -> 00:00:03,000\nHi`, false, /^line 6: expected times/],
		['with an empty line within a text', `${GOOD.trimEnd()}\n\nmore\n`, false, /^line 5: expected times/],
		[
			'with an empty line within a text before a subtitle without a number',
			'00:00:01,000 --> 00:00:02,000\nA\n\nB\n00:00:03,000 --> 00:00:04,000\nC\n',
			false,
			/^line 4: expected times/,
		],
		[
			'with very many subtitles at once',
			'00:00:01,000 --> 01:00:02,000\nHi\n\n'.repeat(21),
			false,
			/^line 61: more than 20 subtitles are shown at this time/,
		],
		[
			'with an end before its beginning',
			GOOD.replace(',000 -', ',999 -').replace('02,', '01,'),
			false,
			/^line 2: the end/,
		],
		['with 61 minutes', GOOD.replace('00:00:02', '00:61:02'), false, /^line 2: minutes and seconds/],
		['with half of the milliseconds', GOOD.replace('02,000', '02,5'), false, /^line 2: milliseconds/],
		[
			'with a very long text',
			GOOD.replace('Hi', 'Hi '.repeat(400)),
			false,
			/^line 2: .*at most 1000 characters/,
		],
		[
			'with too many subtitles',
			'00:00:01,000 --> 00:00:02,000\nHi\n\n'.repeat(20_001),
			false,
			/^line 60001: a file has at most 20000/,
		],
	])('a subtitle file is rejected %s', (_, file, isWebVtt, message) => {
		expect(() => parse(file, isWebVtt)).toThrow(message)
	})

	test('a subtitle file in another encoding than UTF-8 is rejected', () => {
		const latin1 = Uint8Array.from(GOOD.replace('Hi', 'Größe'), (character) => character.charCodeAt(0))
		const utf16 = new Uint8Array(
			Uint16Array.from(`\uFEFF${GOOD}`, (character) => character.charCodeAt(0)).buffer,
		)
		for (const bytes of [latin1, utf16])
			expect(() => parseSubtitles(bytes, false)).toThrow('the file is not UTF-8')
	})
})

test('any text is either rejected with a line number, or round-trips unchanged', () => {
	const Part = fc.constantFrom(
		'WEBVTT',
		'\n',
		'\n\n',
		'00:00:01.000 --> 00:00:02.000\n',
		'1\n00:00:01,500 --> 00:01:02,000\n',
		'<i>',
		'&lt;b&gt;',
		'&#10;',
		'{\\an8}',
		'-->',
		'NOTE',
		'7',
		'\u2028',
		'\0',
		'\r',
	)
	const File = fc.array(fc.oneof(Part, fc.string({ unit: 'binary' })), { maxLength: 20 })
	fc.assert(
		fc.property(File, (parts) => {
			let read: Subtitle[]
			try {
				read = parse(parts.join(''))
			} catch (error) {
				expect(String(error)).toMatch(/^SubtitleFileError: line \d+: /)
				return
			}
			for (const { fromMs, toMs, lines } of read) {
				expect(toMs).toBeGreaterThan(fromMs)
				expect(lines.length).toBeGreaterThan(0)
				for (const line of lines) expect(isOneLine(line) && line === line.trim() && line !== '').toBe(true)
			}
			expect(parse(writeWebVtt(read), true)).toEqual(read)
			const written = read.map((each) => ({
				...each,
				lines: each.lines.map((line) =>
					line.replaceAll('<', '‹').replaceAll('>', '›').replaceAll('{', '❴').replaceAll('}', '❵'),
				),
			}))
			expect(parse(writeSubRip(read))).toEqual(written)
		}),
		{ numRuns: propertyRuns(60) },
	)
})
