import { type SQL, sql } from 'drizzle-orm'
import { webhookDeliveries, webhookEndpoints } from '#schema/tables/accounts/webhooks.ts'
import { outbox } from '#schema/tables/platform.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { EVENTS_KEPT_MS } from '../../../platform/outbox/outbox.ts'
import { wasSuspendedSince } from '../../../platform/suspension.ts'
import { isAtConcurrencyLimit, isEnabled, isSubscribed } from '../conditions.ts'
import { selectNewestSequence } from '../events/event-store.ts'

/** Sequences of an organization that one batch plans, within the limits of D1. */
const WINDOW = 500

const inList = (ids: readonly string[]) => sql`(select value from json_each(${JSON.stringify(ids)}))`
const newest = selectNewestSequence(webhookEndpoints.orgId)

/** Inserts a delivery for each row of a selection that joins `webhook_endpoints` and `outbox as event`. */
export const insertDeliveriesStatement = (db: Db, from: SQL, now: number) =>
	insertSelect(
		db,
		webhookDeliveries,
		{
			endpointId: sql`${webhookEndpoints.id}`,
			eventId: sql`event.id`,
			orgId: sql`${webhookEndpoints.orgId}`,
			sequence: sql`event.sequence`,
			type: sql`event.type`,
			resource: sql`event.resource`,
			state: 'pending',
			dueAt: now,
			createdAt: now,
		},
		from,
	).onConflictDoNothing()

export const planStore = (db: Db) => ({
	/** Lists stored events with an endpoint for which their deliveries are not planned yet. */
	findUnplanned(eventIds: readonly string[]) {
		return db
			.select({ eventId: outbox.id, orgId: outbox.orgId, endpointId: webhookEndpoints.id })
			.from(outbox)
			.leftJoin(
				webhookEndpoints,
				sql`
					${webhookEndpoints.orgId} = ${outbox.orgId}
					and ${isEnabled}
					and ${webhookEndpoints.plannedSequence} < ${outbox.sequence}
				`,
			)
			.where(sql`${outbox.id} in ${inList(eventIds)}`)
	},

	/** Returns enabled endpoints whose organization has events that are not planned. */
	async listBehind(limit: number): Promise<string[]> {
		const rows = await db
			.select({ id: webhookEndpoints.id })
			.from(webhookEndpoints)
			.where(sql`${isEnabled} and ${webhookEndpoints.plannedSequence} < ${newest}`)
			.limit(limit)
		return rows.map(({ id }) => id)
	},

	/**
	 * Inserts the deliveries of the next events, in order, for each endpoint. Returns the endpoints, and those with
	 * more events to plan. An endpoint at its concurrency limit continues after its running requests.
	 */
	async planNext(endpointIds: readonly string[], now: number) {
		const isListed = sql`${webhookEndpoints.id} in ${inList(endpointIds)} and ${isEnabled}`
		const isInWindow = sql`
			event.sequence > ${webhookEndpoints.plannedSequence}
			and event.sequence <= ${webhookEndpoints.plannedSequence} + ${WINDOW}
		`
		const keptSince = now - EVENTS_KEPT_MS
		const { endpointsAdvanced } = await batch(db, {
			deliveriesPlanned: insertDeliveriesStatement(
				db,
				sql`
					from ${webhookEndpoints}
					join outbox as event on event.org_id = ${webhookEndpoints.orgId} and ${isInWindow}
					where ${isListed}
						and ${isSubscribed}
						and (event.created_at >= ${keptSince} or ${wasSuspendedSince(webhookEndpoints.orgId, keptSince)})
				`,
				now,
			),
			endpointsAdvanced: db
				.update(webhookEndpoints)
				.set({ plannedSequence: sql`min(${webhookEndpoints.plannedSequence} + ${WINDOW}, ${newest})` })
				.where(isListed)
				.returning({
					endpointId: webhookEndpoints.id,
					failures: webhookEndpoints.failures,
					nextAttemptAt: webhookEndpoints.nextAttemptAt,
					isBusy: sql<number>`${isAtConcurrencyLimit(now)}`,
					isBehind: sql<number>`${webhookEndpoints.plannedSequence} < ${newest}`,
				}),
		})
		return endpointsAdvanced
	},
})
