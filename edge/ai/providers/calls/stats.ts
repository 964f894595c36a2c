import type { AiStats } from '#schema/contract/operations/stats.ts'
import { DAY, SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { readMeasures } from '../../../platform/metrics/measures.ts'
import { oldestOpenCall } from '../metrics.ts'
import { aiStatsStore } from './stats-store.ts'

type CallStats = Omit<AiStats, 'providers'> & {
	providers: Omit<AiStats['providers'][number], 'queueAgeSec'>[]
}

/** Reads the calls of each provider in the last 24 hours. */
export async function readCallStats({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<CallStats> {
	const [providers, measures] = await Promise.all([
		aiStatsStore(db).readProviders(now - DAY),
		readMeasures(db, { oldestOpenCall }, now),
	])
	const oldest = measures.oldestOpenCall[0]?.value ?? null
	return {
		providers: providers.map(
			({ provider, purpose, calls, open, audioMs, tokens, costMicros, failures, p50, p95 }) => ({
				...{ provider, purpose, calls24h: calls, open, failures24h: failures, costMicros24h: costMicros },
				audioSec24h: audioMs / SECOND,
				tokens24h: tokens,
				latencyMs: { p50, p95 },
			}),
		),
		oldestOpenAgeSec: oldest === null ? null : Math.max(0, (now - oldest) / SECOND),
	}
}
