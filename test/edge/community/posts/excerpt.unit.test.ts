import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EXCERPT_GRAPHEMES } from '#schema/contract/community/member/posts.ts'
import { excerptPost } from '../../../../edge/community/posts/excerpt.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'

const graphemesIn = (text: string) =>
	[...new Intl.Segmenter('en').segment(text)].map(({ segment }) => segment)

test('an excerpt is the first 280 graphemes of a body', () => {
	const units = fc.constantFrom('a', ' ', '\r\n', 'é', 'e\u0301', '👩‍🚀', '🇩🇪', '👍🏽', 'नि')
	const bodies = fc.array(units, { maxLength: 400 }).map((parts) => parts.join(''))
	fc.assert(
		fc.property(bodies, (body) => {
			expect(graphemesIn(excerptPost(body))).toEqual(graphemesIn(body).slice(0, EXCERPT_GRAPHEMES))
		}),
		{ numRuns: propertyRuns(100) },
	)
})

test('an excerpt ends before a letter with thousands of accents', () => {
	expect(excerptPost(`Hello ${'e'.padEnd(40_000, '\u0301')}`)).toBe('Hello ')
})

test('an excerpt of any text is a beginning of it that cuts no character', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary', minLength: 200, maxLength: 4_000 }), (body) => {
			const excerpt = excerptPost(body)
			expect(body.startsWith(excerpt)).toBe(true)
			expect(excerpt.isWellFormed()).toBe(true)
		}),
		{ numRuns: propertyRuns(100) },
	)
})
