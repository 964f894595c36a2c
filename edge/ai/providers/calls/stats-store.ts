import { sql } from 'drizzle-orm'
import type { Db } from '../../../platform/database/database.ts'
import { type CallRow, isOpenStatus } from './store.ts'

type ProviderRow = {
	provider: string
	purpose: CallRow['purpose']
	calls: number
	open: number
	audioMs: number
	tokens: number
	costMicros: number
	failures: number
	p50: number | null
	p95: number | null
}

export const aiStatsStore = (db: Db) => ({
	/** Returns the work of each provider since an instant. Percentiles cover completed calls. */
	async readProviders(since: number): Promise<ProviderRow[]> {
		return db.all<ProviderRow>(sql`
			with recent as (select * from ai_calls where created_at > ${since}),
				ranked as (
					select provider, purpose, ms,
						row_number() over (partition by provider, purpose order by ms) as place,
						count(*) over (partition by provider, purpose) as count
					from recent
					where status = 'completed' and ms is not null
				),
				latency as (
					select provider, purpose, min(iif(place >= 0.5 * count, ms, null)) as p50,
						min(iif(place >= 0.95 * count, ms, null)) as p95
					from ranked
					group by provider, purpose
				)
			select recent.provider as "provider", recent.purpose as "purpose", count(*) as "calls",
				sum(${isOpenStatus}) as "open", sum(audio_ms) as "audioMs", sum(tokens) as "tokens",
				sum(cost_micros) as "costMicros", sum(status = 'failed') as "failures", latency.p50 as "p50",
				latency.p95 as "p95"
			from recent
			left join latency on latency.provider = recent.provider and latency.purpose = recent.purpose
			group by recent.provider, recent.purpose order by recent.provider, recent.purpose
		`)
	},
})
