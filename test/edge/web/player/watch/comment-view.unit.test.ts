import { expect, test } from 'vitest'
import { computeHue, formatInitials } from '../../../../../edge/web/player/watch/avatar.ts'
import { formatRelativeTime } from '../../../../../edge/web/player/watch/relative-time.ts'

test.each([
	['Ada Lovelace', 'AL'],
	['  jonas von der au ', 'JA'],
	['Bea', 'B'],
	['علي حسن', 'عح'],
	['👩‍🚀 Neil', '👩‍🚀N'],
	['', ''],
])('the initials of %j are %j', (name, initials) => {
	expect(formatInitials(name)).toBe(initials)
})

test('a name always has the same color, and different names have several colors', () => {
	expect(computeHue('Ada')).toBe(computeHue('Ada'))
	expect(new Set(['Ada', 'Bea', 'Carl', 'Dora', 'Emil'].map(computeHue)).size).toBeGreaterThan(2)
})

const MINUTE = 60_000
const DAY = 86_400_000

test.each([
	[5_000, 'now'],
	[-59_999, 'now'],
	[-MINUTE, '1 minute ago'],
	[-90 * MINUTE, '1 hour ago'],
	[-DAY, 'yesterday'],
	[-13 * DAY, 'last week'],
	[-800 * DAY, '2 years ago'],
])('a time of %d ms from now reads %j', (ms, text) => {
	expect(formatRelativeTime(ms, 'en')).toBe(text)
})
