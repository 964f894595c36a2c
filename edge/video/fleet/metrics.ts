import { sql } from 'drizzle-orm'
import type { Metric } from '../../platform/metrics/metric.ts'
import { OFFLINE_AFTER_MS } from './machines.ts'

export const fleetMetrics = [
	{
		type: 'gauge',
		name: 'playhouse_machines',
		help: 'Transcoding machines that registered within the last 30 days.',
		labels: { state: ['online', 'draining', 'paused', 'offline', 'evicted'] },
		query: (now) => sql`
			select case
					when evicted_at is not null then 'evicted'
					when state = 'offline' or last_seen_at < ${now - OFFLINE_AFTER_MS} then 'offline'
					when paused_at is not null then 'paused'
					else state
				end as state, count(*) as value
			from machines group by 1`,
	},
] as const satisfies readonly Metric[]
