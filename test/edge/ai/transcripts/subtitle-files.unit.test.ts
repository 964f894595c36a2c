import fc from 'fast-check'
import * as mediaCaptions from 'media-captions'
import { expect, test } from 'vitest'
import { WebVTTParser } from 'webvtt-parser'
import { isOneLine } from '#schema/contract/kit/fields.ts'
import { writeSubRip, writeWebVtt } from '../../../../edge/ai/transcripts/subtitle-files.ts'
import type { Subtitle } from '../../../../edge/ai/transcripts/subtitle-layout.ts'
import { toPlainText } from '../../../../edge/web/player/captions/cues.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'

/** The types of the package name files without their extensions, so the compiler finds none. */
const { parseText } = mediaCaptions as unknown as {
	parseText(
		text: string,
		options: { type: 'vtt' | 'srt'; errors: true; strict: true },
	): Promise<{ cues: { startTime: number; endTime: number; text: string }[]; errors: unknown[] }>
}

const Text = fc
	.oneof(
		fc.string({ unit: 'grapheme', minLength: 1, maxLength: 42 }),
		fc
			.array(
				fc.constantFrom('-->', '<i>', '&amp;', '&', '{\\an8}', '00:00:01.000', 'NOTE', 'WEBVTT', '1', ' '),
			)
			.map((parts) => parts.join('')),
	)
	.map((text) => text.trim())
	.filter((text) => text !== '' && isOneLine(text))

/** All that the writer uses; by default, the parser leaves the semicolon in the text. */
const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/** Less than 100 hours in all, since `media-captions` reads two digits of hours. */
const Subtitles = fc
	.array(
		fc.record({
			gap: fc.nat(100_000),
			length: fc.integer({ min: 1, max: 40_000_000 }),
			lines: fc.array(Text, { minLength: 1, maxLength: 3 }),
		}),
		{ maxLength: 8 },
	)
	.map((made) => {
		let at = 0
		return made.map(({ gap, length, lines }): Subtitle => {
			const fromMs = at + gap
			at = fromMs + length
			return { fromMs, toMs: at, lines }
		})
	})

const ms = (seconds: number) => Math.round(seconds * 1_000)

test('the reference parser of WebVTT finds no error, and yields the same subtitles', () => {
	fc.assert(
		fc.property(Subtitles, (subtitles) => {
			const { cues, errors } = new WebVTTParser(entities).parse(writeWebVtt(subtitles), 'subtitles')
			expect(errors).toEqual([])
			const read = cues.map(({ startTime, endTime, tree }) => ({
				fromMs: ms(startTime),
				toMs: ms(endTime),
				lines: (tree.children ?? [])
					.map(({ value }) => value)
					.join('')
					.split('\n'),
			}))
			expect(read).toEqual(subtitles)
		}),
		{ numRuns: propertyRuns(100) },
	)
})

test.each([
	['vtt', writeWebVtt, (line: string) => line],
	[
		'srt',
		writeSubRip,
		// SRT has no escapes.
		(line: string) =>
			line.replaceAll('<', '‹').replaceAll('>', '›').replaceAll('{', '❴').replaceAll('}', '❵'),
	],
] as const)('a player parses the same subtitles from a %s file', async (type, write, written) => {
	await fc.assert(
		fc.asyncProperty(Subtitles, async (subtitles) => {
			const { cues, errors } = await parseText(write(subtitles), { type, errors: true, strict: true })
			expect(errors).toEqual([])
			const read = cues.map(({ startTime, endTime, text }) => ({
				fromMs: ms(startTime),
				toMs: ms(endTime),
				lines: (type === 'vtt' ? toPlainText(text) : text).split('\n'),
			}))
			expect(read).toEqual(subtitles.map((each) => ({ ...each, lines: each.lines.map(written) })))
		}),
		{ numRuns: propertyRuns(100) },
	)
})
