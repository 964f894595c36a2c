import { expect, test } from 'vitest'
import { viewAnalytics } from '../../../../../edge/watch/analytics/answers/view.ts'
import { sumSession } from '../../../../../edge/watch/analytics/sums/session-sums.ts'
import type { Sums } from '../../../../../edge/watch/analytics/sums/sums.ts'
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

const period = { from: HOUR, to: HOUR + 3_600_000, before: HOUR, granularity: 'hour' as const }

test('the retention of a replaced video uses the starts of the new one', () => {
	const before = Array.from({ length: 9 }, () => startOf(1_000, 2_000_000))
	const { totals, retention } = viewAnalytics([...before, startOf(10, 10_000)], period, 10_000, HOUR)
	expect(totals.starts).toBe(10)
	expect(retention?.shares).toEqual(Array.from({ length: 10 }, () => 1))
})

test.each([1, 2])(
	'%i stored sums of an earlier release, which had no crowd, count no crowded session',
	(count) => {
		const { from, sums } = startOf(10, 10_000)
		const stored = { ...sums, excluded: { member: 2, bot: 1 } } as Sums
		const parts = Array.from({ length: count }, () => ({ from, sums: stored }))
		const { members, bots, crowded } = viewAnalytics(parts, period, 10_000, HOUR).totals
		expect({ members, bots, crowded }).toEqual({ members: 2 * count, bots: count, crowded: 0 })
	},
)
