import { type SQL, sql } from 'drizzle-orm'
import { webhookEndpoints } from '#schema/tables/webhooks.ts'

/** SQL condition: the endpoint gets deliveries. */
export const isEnabled: SQL = sql`${webhookEndpoints.status} = 'enabled'`

/** SQL condition: the endpoint gets events of the type of the outbox row `event`. */
export const isSubscribed = sql`(${webhookEndpoints.types} is null or exists (select 1 from json_each(${webhookEndpoints.types}) as subscribed where subscribed.value = event.public_type))`
