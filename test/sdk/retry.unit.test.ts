import { expect, test } from 'vitest'
import { ConnectionError, PlayhouseError, readRetryAfter, TimeoutError } from '../../sdk/src/errors.ts'
import { choosePauseMs } from '../../sdk/src/retry.ts'

const error = (status: number, code: string | null = null, retryAfterSec: number | null = null) =>
	new PlayhouseError('failed', { status, code, retryAfterSec })

test.each([
	[error(400), false],
	[error(401), false],
	[error(403), false],
	[error(404), false],
	[error(408), true],
	[error(409, 'conflict'), false],
	[error(409, 'request_in_flight'), true],
	[error(422), false],
	[error(429), true],
	[error(500), true],
	[error(501), false],
	[error(502), true],
	[error(503), true],
	[error(504), true],
	[error(507), false],
	[new ConnectionError('failed'), true],
	[new TimeoutError('failed'), true],
	[new TypeError('failed'), false],
	[undefined, false],
])('the SDK decides by the error whether a call is repeated: %o %s', (thrown, isRepeated) => {
	expect(choosePauseMs(thrown ?? {}, 1, 2) !== undefined).toBe(isRepeated)
	expect(choosePauseMs(thrown ?? {}, 3, 2)).toBeUndefined()
})

test('the pauses between retries double up to eight seconds, with random jitter', () => {
	const pauses = (random: number) => [1, 2, 3, 9].map((tries) => choosePauseMs(error(503), tries, 9, random))
	expect(pauses(0)).toEqual([250, 500, 1_000, 4_000])
	expect(pauses(1)).toEqual([500, 1_000, 2_000, 8_000])
})

test('the SDK honors Retry-After of up to a minute, and fails at once with a longer one', () => {
	expect(choosePauseMs(error(429, null, 60), 1, 2)).toBe(60_000)
	expect(choosePauseMs(error(429, null, 0), 1, 2)).toBe(0)
	expect(choosePauseMs(error(429, null, 61), 1, 2)).toBeUndefined()
})

test.each([
	['7', 7],
	['0', 0],
	['Sun, 29 Nov 2026 08:00:10 GMT', 10],
	['Sun, 29 Nov 2026 07:00:00 GMT', 0],
	['soon', null],
	[null, null],
])('the SDK reads the header Retry-After %j as %j seconds', (value, seconds) => {
	expect(readRetryAfter(value, Date.UTC(2026, 10, 29, 8))).toBe(seconds)
})
