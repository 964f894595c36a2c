import { expect, test } from 'vitest'
import { PendingSegments } from '../../../../../edge/watch/analytics/ingest/cmcd/pending-segments.ts'

const segment = (ms: number, isStarved = false) => ({ deliveredMs: { 720: ms }, isStarved })

test('served segments are added up and reported every 20 seconds', () => {
	const pending = new PendingSegments()
	expect(pending.add('a', segment(1), 0)).toEqual(segment(1))
	expect(pending.add('a', segment(2, true), 1)).toBeNull()
	expect(pending.add('b', segment(9), 2)).toEqual(segment(9))
	expect(pending.add('a', { deliveredMs: { 360: 5 }, isStarved: false }, 19_999)).toBeNull()
	expect(pending.add('a', segment(4), 20_000)).toEqual({ deliveredMs: { 360: 5, 720: 6 }, isStarved: true })
	expect(pending.add('a', segment(1), 20_001)).toBeNull()
})

test('a clock that is set back delays no report of served segments', () => {
	const pending = new PendingSegments()
	pending.add('a', segment(1), 1_000_000)
	expect(pending.add('a', segment(2), 0)).toEqual(segment(2))
})

test('the most recently served sessions are remembered, and no others', () => {
	const pending = new PendingSegments(2)
	for (const session of ['a', 'b', 'a', 'c']) pending.add(session, segment(1), 0)
	expect(pending.add('a', segment(1), 1)).toBeNull()
	expect(pending.add('b', segment(1), 1)).toEqual(segment(1))
})

test('fractions of milliseconds of served segments are added up before rounding', () => {
	const pending = new PendingSegments()
	pending.add('a', segment(1), 0)
	for (let part = 0; part < 9; part++) expect(pending.add('a', segment(0.3), 1)).toBeNull()
	expect(pending.add('a', segment(0.3), 20_000)).toEqual(segment(3))
})
