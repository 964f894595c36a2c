import { expect, test } from 'vitest'
import {
	computePrefixRange,
	extractQueryTerms,
	extractSearchTerms,
	foldText,
} from '../../../../edge/platform/database/search-terms.ts'

test.each([
	['Émile ZOLA', 'emile zola'],
	['ＦＵＬＬ ﬁlm', 'full film'],
	['が', 'が'],
	['한국', '한국'],
	['50% off_"x"', '50% off_"x"'],
])('the search index folds %s to %s', (text, folded) => expect(foldText(text)).toBe(folded))

test.each([
	['The quick, the brown', ['the', 'quick', 'brown']],
	['S01E02 – part 2', ['s01e02', 'part', '2']],
	['電影院', ['電影', '影院', '院']],
	['my電影 2', ['my', '電影', '影', '2']],
	['🎬 ... %_"', []],
	['', []],
])('the search index stores %s under the terms %j', (text, terms) =>
	expect(extractSearchTerms(text)).toEqual(terms),
)

test.each([
	['be quick', ['quick', 'be']],
	['電影院', ['電影', '影院']],
	['電', ['電']],
	['"; drop table', ['table', 'drop']],
	['🎬 %', []],
])('a search for %s uses the terms %j', (query, terms) => expect(extractQueryTerms(query)).toEqual(terms))

test('the search index limits the terms of long texts and long queries', () => {
	const many = Array.from({ length: 5_000 }, (_, i) => `w${i}`).join(' ')
	expect(extractSearchTerms(many)).toHaveLength(400)
	expect(extractQueryTerms(many)).toHaveLength(8)
	expect(extractSearchTerms('x'.repeat(10_000))).toEqual(['x'.repeat(40)])
	expect(extractSearchTerms('電'.repeat(5_000)).length).toBeLessThan(3)
})

test('a prefix range contains exactly the texts with the prefix', () => {
	const [from, below] = computePrefixRange('ab')
	const utf8 = (text: string) =>
		[...new TextEncoder().encode(text)].map((b) => String.fromCharCode(b)).join('')
	for (const inside of ['ab', 'abc', 'ab\u{1f3ac}', 'abé'])
		expect(utf8(inside) >= utf8(from) && utf8(inside) < utf8(below), inside).toBe(true)
	for (const outside of ['a', 'ac', 'aa\u{10ffff}'])
		expect(utf8(outside) >= utf8(from) && utf8(outside) < utf8(below)).toBe(false)
})
