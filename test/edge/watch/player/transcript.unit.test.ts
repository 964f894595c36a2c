import { describe, expect, test } from 'vitest'
import { groupIntoParagraphs } from '../../../../edge/watch/player/transcript.ts'

const textsOf = (segments: { start: number; end: number; text: string }[]) =>
	groupIntoParagraphs(segments).map(({ startSec, lines }) => [startSec, ...lines.map(({ text }) => text)])

describe('the paragraphs of a transcript', () => {
	test('a paragraph of a transcript ends with a pause of two seconds', () => {
		expect(
			textsOf([
				{ start: 0, end: 1, text: 'One' },
				{ start: 2.9, end: 3, text: 'two' },
				{ start: 5, end: 6, text: 'three' },
			]),
		).toEqual([
			[0, 'One', 'two'],
			[5, 'three'],
		])
	})

	test('a long paragraph of a transcript ends with a sentence', () => {
		const long = 'x'.repeat(300)
		expect(
			textsOf([
				{ start: 0, end: 1, text: `${long}.` },
				{ start: 1, end: 2, text: `${long},` },
				{ start: 2, end: 3, text: 'the end.' },
				{ start: 3, end: 4, text: 'Next' },
			]),
		).toEqual([
			[0, `${long}.`, `${long},`, 'the end.'],
			[3, 'Next'],
		])
	})

	test('a transcript without segments has no paragraphs', () => {
		expect(groupIntoParagraphs([])).toEqual([])
	})
})
