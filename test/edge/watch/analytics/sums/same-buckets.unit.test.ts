import { expect, test } from 'vitest'
import { viewAnalytics } from '../../../../../edge/watch/analytics/answers/view.ts'
import { sumSession } from '../../../../../edge/watch/analytics/sums/session-sums.ts'
import { stateAt } from '../states.ts'

const HOUR = Date.UTC(2037, 10, 21, 12)

const startOf = (playedSec: number, durationMs: number) => ({
	from: HOUR,
	sums: sumSession(
		{
			...{ id: 'session', startedAt: HOUR, reportedAt: HOUR, audience: 'viewer', visitor: null },
			place: { device: 'tv', browser: 'other', country: null, referrer: null, player: 'other' },
			state: stateAt(playedSec),
		},
		durationMs,
	),
})

test('the retention of a replaced video is that of the starts of the new one', () => {
	const before = Array.from({ length: 9 }, () => startOf(1_000, 2_000_000))
	const period = { from: HOUR, to: HOUR + 3_600_000, before: HOUR, granularity: 'hour' as const }
	const { totals, retention } = viewAnalytics([...before, startOf(10, 10_000)], period, 10_000, HOUR)
	expect(totals.starts).toBe(10)
	expect(retention?.shares).toEqual(Array.from({ length: 10 }, () => 1))
})
