import type { Viewing } from '../../../ai/highlights/ranking/viewing.ts'
import type { Deps } from '../../../platform/deps.ts'
import { addSumsOfDuration } from '../sessions/hour-sums.ts'
import { findSessions } from '../sessions/session-stub.ts'
import { ROOT } from '../sessions/shards/shards.ts'
import { unpackCurve } from '../sums/curve.ts'
import { boundSums } from '../sums/sums.ts'
import { readPeriod } from './period.ts'

/** Returns the playback of a video in the last 30 days; null without analytics or sessions. */
export async function readRecentViewing(
	deps: Deps,
	{ playbackId, durationSec }: { playbackId: string; durationSec: number },
): Promise<Viewing | null> {
	const root = findSessions(deps.env, playbackId, ROOT)
	if (!root) return null
	const { period } = readPeriod({ period: '30d' }, deps.now)
	const durationMs = Math.round(durationSec * 1_000)
	const parts = await root.sums(period.from, period.to, deps.now, durationMs)
	const all = parts.map(({ sums }) => sums)
	const { curve, placedStarts } = boundSums(addSumsOfDuration(all, durationMs))
	return curve === null ? null : { ...unpackCurve(curve), starts: placedStarts }
}
