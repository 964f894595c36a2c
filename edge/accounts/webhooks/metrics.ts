import { sql } from 'drizzle-orm'
import type { Counter, Metric } from '../../platform/metrics/metric.ts'

export const attemptsMade = {
	type: 'counter',
	name: 'playhouse_webhook_attempts_total',
	help: 'Requests to the endpoints of webhooks.',
	labels: { outcome: ['delivered', 'failed'] },
} as const satisfies Counter

/** Endpoints beyond it are not read; each costs two index seeks. */
const MAX_ENDPOINTS = 10_000

export const webhookMetrics = [
	attemptsMade,
	{
		type: 'gauge',
		name: 'playhouse_webhook_endpoints_failing',
		help: 'Endpoints of webhooks whose last attempt failed.',
		labels: {},
		query: () => sql`select count(*) as value from webhook_endpoints where failing_since is not null`,
	},
	{
		type: 'gauge',
		name: 'playhouse_webhook_oldest_due_seconds',
		help: 'How long the oldest delivery that may be attempted has waited; 0 if none waits.',
		labels: {},
		isInstant: true,
		// Steps through the index from endpoint to endpoint, so the cost does not grow with their deliveries.
		query: () => sql`
			with recursive oldest(endpoint_id, due_at) as (
				select *
				from (
					select endpoint_id, due_at from webhook_deliveries
					where state = 'pending'
					order by endpoint_id, due_at limit 1
				)
				union all
				select next.endpoint_id, next.due_at from oldest
				join webhook_deliveries as next on next.rowid = (
					select later.rowid from webhook_deliveries as later
					where later.state = 'pending' and later.endpoint_id > oldest.endpoint_id
					order by later.endpoint_id, later.due_at limit 1
				)
				limit ${MAX_ENDPOINTS}
			)
			select min(max(oldest.due_at, endpoint.next_attempt_at)) as value from oldest
			cross join webhook_endpoints as endpoint on endpoint.id = oldest.endpoint_id
			join orgs on orgs.id = endpoint.org_id
			where endpoint.status = 'enabled' and orgs.suspended_at is null
		`,
	},
] as const satisfies readonly Metric[]
