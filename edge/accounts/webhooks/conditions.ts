import { type SQL, sql } from 'drizzle-orm'
import { webhookEndpoints } from '#schema/tables/accounts/webhooks.ts'

/** SQL condition: the endpoint gets deliveries. */
export const isEnabled: SQL = sql`${webhookEndpoints.status} = 'enabled'`

/** SQL condition: the endpoint gets events of the type of the outbox row `event`. */
export const isSubscribed = sql`(
	${webhookEndpoints.types} is null
	or exists (
		select 1 from json_each(${webhookEndpoints.types}) as subscribed where subscribed.value = event.type
	)
)`

/** An endpoint with this many failures in a row gets one attempt at a time, after a wait that doubles. */
export const BREAKER_FAILURES = 10

/** SQL condition: the endpoint is at its concurrency limit. */
export const isAtConcurrencyLimit = (now: number): SQL =>
	sql`
		(
			select count(*) from webhook_deliveries as leased
			where leased.endpoint_id = ${webhookEndpoints.id} and leased.lease_until > ${now}
		) >= iif(${webhookEndpoints.failures} >= ${BREAKER_FAILURES}, 1, ${webhookEndpoints.maxInFlight})
	`

/** SQL condition: the organization is not suspended. */
export const isOfActiveOrg: SQL = sql`
	exists (select 1 from orgs where orgs.id = ${webhookEndpoints.orgId} and orgs.suspended_at is null)
`

/** Rows that one statement changes, within the limits of D1. */
export const ROWS_AT_ONCE = 2_000
