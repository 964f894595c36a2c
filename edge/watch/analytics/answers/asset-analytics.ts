import type { AssetAnalytics } from '#schema/contract/watch/analytics/asset-analytics.ts'
import type { Deps } from '../../../platform/deps.ts'
import { getAsset } from '../../../video/assets/assets.ts'
import { requireSessions } from '../sessions/session-stub.ts'
import { ROOT } from '../sessions/shards/shards.ts'
import { type PeriodQuery, readPeriod } from './period.ts'
import { viewAnalytics } from './view.ts'

export async function readAssetAnalytics(
	deps: Deps,
	orgId: string,
	assetId: string,
	query: PeriodQuery,
): Promise<AssetAnalytics> {
	const { playbackId, durationSec } = await getAsset(deps, orgId, assetId)
	const { period } = readPeriod(query, deps.now)
	const durationMs = Math.round((durationSec ?? 0) * 1_000)
	const root = requireSessions(deps.env, playbackId, ROOT)
	const parts = await root.sums(period.from, period.to, deps.now, durationMs)
	return viewAnalytics(parts, period, durationMs, deps.now)
}
