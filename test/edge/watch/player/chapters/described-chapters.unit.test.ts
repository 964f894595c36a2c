import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDescribedChapters } from '../../../../../edge/watch/player/chapters/described-chapters.ts'

describe('chapters in a description', () => {
	test('chapters in a description are lines with a time and a title, in common notations', () => {
		const description =
			'About this film\n\n0:00 Start\n1:05 - The middle\n(01:02:03) End: a summary\n\nThanks!'
		expect(parseDescribedChapters(description, 4_000)).toEqual([
			{ title: 'Start', startSec: 0, endSec: 65 },
			{ title: 'The middle', startSec: 65, endSec: 3_723 },
			{ title: 'End: a summary', startSec: 3_723, endSec: 4_000 },
		])
	})

	test.each([
		['no description', null],
		['text alone', 'A film about nothing'],
		['two times only', '0:00 Start\n1:00 End'],
		['a first time after the beginning', '0:10 Start\n1:00 Middle\n2:00 End'],
		['times in disorder', '0:00 Start\n2:00 Middle\n1:00 End'],
		['times after the end', '0:00 Start\n1:00 Middle\n59:00 End'],
		['chapters of less than five seconds', '0:00 Start\n0:02 Middle\n2:00 End'],
		['times without titles', '0:00\n1:00\n2:00'],
	])('no chapters are found in a description with %s', (_, description) => {
		expect(parseDescribedChapters(description, 600)).toEqual([])
	})

	test('chapters in a description are found in time linear in the length of a line', () => {
		const spaces = ' '.repeat(500_000)
		const description = `0:00${spaces}Start\n1:00${spaces}\n2:00 -${spaces}Middle\n3:00 End`
		expect(parseDescribedChapters(description, 600).map(({ title }) => title)).toEqual([
			'Start',
			'Middle',
			'End',
		])
	})

	test('chapters in a description cover the whole video without gaps, whatever its text is', () => {
		const line = fc.oneof(
			fc.string(),
			fc
				.tuple(fc.nat(20), fc.nat(59), fc.string())
				.map(([minutes, seconds, title]) => `${minutes}:${String(seconds).padStart(2, '0')} ${title}`),
		)
		fc.assert(
			fc.property(fc.array(line, { maxLength: 8 }), fc.nat(3_600), (lines, duration) => {
				const chapters = parseDescribedChapters(['0:00 Start', ...lines].join('\n'), duration)
				if (chapters.length === 0) return
				expect(chapters[0]?.startSec).toBe(0)
				expect(chapters.at(-1)?.endSec).toBe(duration)
				for (const [at, { title, startSec, endSec }] of chapters.entries()) {
					expect(title.trim()).not.toBe('')
					expect(endSec).toBeGreaterThan(startSec)
					if (at > 0) expect(chapters[at - 1]?.endSec).toBe(startSec)
				}
			}),
		)
	})
})
