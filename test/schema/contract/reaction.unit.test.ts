import { expect, test } from 'vitest'
import { readReaction, toShownReaction } from '../../../schema/contract/community/reaction.ts'

test.each([
	'👍',
	'👍🏽',
	'❤️',
	'❤️‍🔥',
	'1️⃣',
	'#️⃣',
	'©️',
	'👨‍👩‍👧‍👦',
	'👩🏻‍❤️‍💋‍👨🏿',
	'🇩🇪',
	'🏴󠁧󠁢󠁥󠁮󠁧󠁿',
	'🏳️‍🌈',
	'like',
	'+1',
	'party_parrot',
])('%s is one reaction', (text) => {
	expect(readReaction(text)).toBe(text)
	expect(toShownReaction(text)).toBe(text)
})

test.each([
	['❤', '❤️'],
	['❤‍🔥', '❤️‍🔥'],
	['1⃣', '1️⃣'],
	['☝🏽', '☝🏽'],
	['🏳‍🌈', '🏳️‍🌈'],
])('the reaction %s is stored, and shown if already stored, in its one form', (text, stored) => {
	expect(readReaction(text)).toBe(stored)
	expect(toShownReaction(text)).toBe(stored)
})

test.each([
	'',
	' ',
	'not an emoji at all <b>',
	'<b>',
	'Like',
	'👍👍',
	'👍 ',
	'👍a',
	'a👍',
	'🇩🇪🇫🇷',
	'🇩',
	'\u{1F3FD}\u200D',
	'❤\uFE0E',
	'\u200D',
	'\uFE0F',
	'日',
	'é',
	'👍\u0301',
	`${'👨‍👩‍👧‍👦'.repeat(9)}`,
	'x'.repeat(33),
	'👍'.repeat(100_000),
])('the text %j is no reaction, and is shown as like if already stored', (text) => {
	expect(readReaction(text)).toBeNull()
	expect(toShownReaction(text)).toBe('like')
})
