import { describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '../../../edge/platform/clock.ts'
import {
	breakAfter,
	parseRetryAfter,
	stateAfterFailure,
	waitAfter,
} from '../../../edge/webhooks/deliveries/next-attempt.ts'

describe('the wait before the next attempt', () => {
	test('grows from 5 seconds to a day, and ends after ten attempts', () => {
		const waits = Array.from({ length: 10 }, (_, i) => waitAfter(i + 1, 0))
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

	test('is up to 10 % longer, so that deliveries spread', () => {
		expect(waitAfter(2, 1)).toBe(5.5 * MINUTE)
	})
})

test('an endpoint gets a break after ten failures in a row, which doubles up to an hour', () => {
	const breaks = [1, 9, 10, 11, 12, 15, 16, 17, 1_000].map(breakAfter)
	expect(breaks).toEqual([0, 0, MINUTE, 2 * MINUTE, 4 * MINUTE, 32 * MINUTE, HOUR, HOUR, HOUR])
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
	])('%j is understood as %s', (value, expected) => {
		expect(parseRetryAfter(value, now)).toBe(expected)
	})

	test('may be missing', () => {
		expect(parseRetryAfter(null, now)).toBe(null)
	})
})

describe('the state of an endpoint after a failure', () => {
	test('keeps the time of the first failure, and is hopeless after five days', () => {
		const first = stateAfterFailure({ failures: 0, failingSince: null }, null, 100)
		expect(first).toEqual({ failures: 1, failingSince: 100, nextAttemptAt: 100, isHopeless: false })
		const last = stateAfterFailure({ failures: 30, failingSince: 100 }, null, 100 + 5 * DAY)
		expect(last).toMatchObject({ failures: 31, failingSince: 100, isHopeless: true })
	})

	test('obeys the longer of the break and the wait that the receiver asked for', () => {
		const failing = { failures: 10, failingSince: 0 }
		expect(stateAfterFailure(failing, 5 * SECOND, 0).nextAttemptAt).toBe(2 * MINUTE)
		expect(stateAfterFailure(failing, HOUR, 0).nextAttemptAt).toBe(HOUR)
	})
})
