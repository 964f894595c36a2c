import { describe, expect, test } from 'vitest'
import { computeRetryDelay } from '../../../../edge/accounts/webhooks/deliveries/next-attempt.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../../edge/platform/clock.ts'
import { parseRetryAfter } from '../../../../edge/platform/network/retry-after.ts'

describe('the wait before the next attempt', () => {
	test('the waits between attempts grow from 5 seconds to a day, and end after ten attempts', () => {
		const waits = Array.from({ length: 10 }, (_, i) => computeRetryDelay(i + 1, 0))
		expect(waits).toEqual([
			...[
				5 * SECOND,
				5 * MINUTE,
				30 * MINUTE,
				2 * HOUR,
				5 * HOUR,
				10 * HOUR,
				14 * HOUR,
				20 * HOUR,
				24 * HOUR,
			],
			null,
		])
	})

	test('the wait before the next attempt gets up to 10 % longer, so that deliveries spread', () => {
		expect(computeRetryDelay(2, 1)).toBe(5.5 * MINUTE)
	})
})

describe('Retry-After', () => {
	const now = Date.UTC(2026, 0, 1)
	test.each([
		['600', 10 * MINUTE],
		[' 7 ', 7 * SECOND],
		['0', 0],
		['999999999', DAY],
		['Thu, 01 Jan 2026 00:02:00 GMT', 2 * MINUTE],
		['Wed, 31 Dec 2025 00:00:00 GMT', 0],
		['soon', null],
		['-5', 0],
		['', null],
	])('Retry-After %j is read as %s', (value, expected) => {
		expect(parseRetryAfter(value, now)).toBe(expected)
	})

	test('parses a missing Retry-After as null', () => {
		expect(parseRetryAfter(null, now)).toBe(null)
	})
})
