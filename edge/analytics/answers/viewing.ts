import type { Deps } from '../../platform/deps.ts'
import { addSame } from '../sessions/hour-sums.ts'
import { findSessions } from '../sessions/session-stub.ts'
import { ROOT } from '../sessions/shards/shards.ts'
import { type Curve, unpackCurve } from '../sums/curve.ts'
import { boundSums } from '../sums/sums.ts'
import { type PeriodQuery, readPeriod } from './period.ts'

/** What viewers played of a video. `starts`: the sessions that are in the curve. Members and bots are left out. */
export type Viewing = Curve & { starts: number }

/** Returns what viewers played of a video in a period; null without analytics, or without any session. */
export async function readViewing(
	deps: Deps,
	{ playbackId, durationSec }: { playbackId: string; durationSec: number },
	query: PeriodQuery,
): Promise<Viewing | null> {
	const root = findSessions(deps.env, playbackId, ROOT)
	if (!root) return null
	const { period } = readPeriod(query, deps.now)
	const durationMs = Math.round(durationSec * 1_000)
	const parts = await root.sums(period.from, period.to, deps.now, durationMs)
	const all = parts.map(({ sums }) => sums)
	const { curve, placedStarts } = boundSums(addSame(all, durationMs))
	return curve === null ? null : { ...unpackCurve(curve), starts: placedStarts }
}
