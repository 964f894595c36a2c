import { and, desc, sql } from 'drizzle-orm'
import { MAX_COUNTED } from '#schema/contract/operations/admin/limits.ts'
import { webhookEndpoints } from '#schema/tables/accounts/webhooks.ts'
import type { Db } from '../../../platform/database/database.ts'
import { comesBefore, type Position } from '../../../platform/database/keyset.ts'

/** Literals, because SQLite uses a partial index only if the query includes its condition. */
const countOf = (state: 'failed' | 'pending') =>
	sql<number>`(
		select count(*) from (
			select 1 from webhook_deliveries as counted
			where counted.endpoint_id = webhook_endpoints.id and counted.state = '${sql.raw(state)}'
			limit ${MAX_COUNTED}
		)
	)`

export const webhookFailureStore = (db: Db) => ({
	/** Lists failing endpoints, most recent failure first. */
	list(limit: number, position: Position | null) {
		return db
			.select({ endpoint: webhookEndpoints, failed: countOf('failed'), pending: countOf('pending') })
			.from(webhookEndpoints)
			.where(
				and(
					sql`${webhookEndpoints.failingSince} is not null`,
					comesBefore(webhookEndpoints.failingSince, webhookEndpoints.id, position),
				),
			)
			.orderBy(desc(webhookEndpoints.failingSince), desc(webhookEndpoints.id))
			.limit(limit + 1)
	},
})
