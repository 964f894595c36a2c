import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTextSearch } from '../../../../../edge/web/player/watch/find-text.ts'

const found = (text: string, query: string) =>
	createTextSearch(text)(query).map(({ from, to }) => text.slice(from, to))

describe('a search in a text', () => {
	test('a search in a text ignores capitals, accents and repeated spaces', () => {
		expect(found('Une CRÊPE, deux crêpes', ' crepe')).toEqual(['CRÊPE', 'crêpe'])
		expect(found('The quick brown fox', 'Quick   brown')).toEqual(['quick brown'])
		expect(found('Cre\u0301me', 'creme')).toEqual(['Cre\u0301me'])
	})

	test('a search in a text finds characters of any script, and no part of one', () => {
		expect(found('今日は天気がいい', '天気')).toEqual(['天気'])
		expect(found('a 😀 b', '😀')).toEqual(['😀'])
	})

	test('a search in a text finds nothing for an empty query', () => {
		expect(found('text', '  ')).toEqual([])
	})

	test('a search in a text finds every match, in order and without overlap', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), fc.nat(), (text, a, b) => {
				const points = [...text.replaceAll(/\s+/g, ' ').trim()]
				const [from, to] = [a % (points.length + 1), b % (points.length + 1)].toSorted((x, y) => x - y)
				const whole = points.join('')
				const query = points.slice(from, to).join('').trim()
				const matches = createTextSearch(whole)(query)
				if (/[\p{L}\p{N}]/u.test(query)) expect(matches.length).toBeGreaterThan(0)
				for (const [at, match] of matches.entries())
					expect(match.from).toBeGreaterThanOrEqual(matches[at - 1]?.to ?? 0)
			}),
		)
	})
})
