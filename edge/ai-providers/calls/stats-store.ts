import { sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/database.ts'
import { isOpenStatus } from './store.ts'

type ProviderRow = {
	provider: string
	calls: number
	open: number
	audioMs: number
	costMicros: number
	failures: number
	p50: number | null
	p95: number | null
}

export const aiStatsStore = (db: Db) => ({
	/** Returns the work of each provider since an instant. Percentiles are those of calls that completed. */
	async readProviders(since: number): Promise<ProviderRow[]> {
		return db.all<ProviderRow>(sql`
			with recent as (select * from ai_calls where created_at > ${since}),
			ranked as (
				select provider, ms, row_number() over (partition by provider order by ms) as place,
					count(*) over (partition by provider) as count
				from recent where status = 'completed' and ms is not null
			),
			latency as (
				select provider, min(iif(place >= 0.5 * count, ms, null)) as p50, min(iif(place >= 0.95 * count, ms, null)) as p95
				from ranked group by provider
			)
			select recent.provider as "provider", count(*) as "calls", sum(${isOpenStatus}) as "open",
				sum(audio_ms) as "audioMs", sum(cost_micros) as "costMicros", sum(status = 'failed') as "failures",
				latency.p50 as "p50", latency.p95 as "p95"
			from recent left join latency on latency.provider = recent.provider
			group by recent.provider order by recent.provider`)
	},

	/** Returns since when the oldest call is open; null if none is. */
	async oldestOpen(): Promise<number | null> {
		const [row] = await db.all<{ at: number | null }>(
			sql`select min(created_at) as "at" from ai_calls where ${isOpenStatus} and check_at is not null`,
		)
		return row?.at ?? null
	},
})
