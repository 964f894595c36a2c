import { expect, test } from 'vitest'
import { readRetryAfter } from '../../../../../edge/web/player/reporting/post-events.ts'

test('Retry-After is parsed as seconds or as a date', () => {
	const now = Date.parse('2026-05-01T12:00:00Z')
	expect(readRetryAfter('120', now)).toBe(120_000)
	expect(readRetryAfter('Fri, 01 May 2026 12:00:30 GMT', now)).toBe(30_000)
	expect(readRetryAfter('Fri, 01 May 2026 11:00:30 GMT', now)).toBe(0)
	expect(readRetryAfter('soon', now)).toBeNull()
	expect(readRetryAfter(null, now)).toBeNull()
})
