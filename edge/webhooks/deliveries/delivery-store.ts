import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { webhookAttempts, webhookDeliveries, webhookEndpoints } from '#schema/tables/webhooks.ts'
import { SECOND } from '../../platform/clock.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import { isEnabled } from '../conditions.ts'
import { type EndpointRow, healthy } from '../endpoints/endpoint-store.ts'
import type { Wake } from '../planning/wake.ts'
import { type Outcome, TIMEOUT_MS } from './attempt.ts'
import {
	BREAKER_FAILURES,
	BREAKER_FIRST_MS,
	BREAKER_MAX_MS,
	SWITCH_OFF_MS,
	waitAfter,
} from './next-attempt.ts'

export type DeliveryRow = typeof webhookDeliveries.$inferSelect
export type AttemptRow = typeof webhookAttempts.$inferSelect

/** Longer than an attempt takes. */
const LEASE_MS = 2 * TIMEOUT_MS
const OVERDUE_MS = 60 * SECOND

const isPending = sql`${webhookDeliveries.state} = 'pending'`

const isClaimed = ({ endpointId, eventId, epoch }: DeliveryRow) =>
	and(
		eq(webhookDeliveries.endpointId, endpointId),
		eq(webhookDeliveries.eventId, eventId),
		eq(webhookDeliveries.epoch, epoch),
		sql`${webhookDeliveries.leaseUntil} is not null`,
	)

const isOfActiveOrg = (orgId: SQL): SQL =>
	sql`exists (select 1 from orgs where orgs.id = ${orgId} and orgs.suspended_at is null)`

/** A failing endpoint gets one request at a time, so that dead receivers use little of the queue. */
const inFlightLimit = sql`iif(endpoint.failures >= ${BREAKER_FAILURES}, 1, endpoint.max_in_flight)`
/** In an ordered endpoint, an earlier event of the same resource is still pending. */
const mustWait = sql`endpoint.ordering = 'resource' and exists (select 1 from webhook_deliveries as earlier where earlier.endpoint_id = due.endpoint_id and earlier.resource = due.resource and earlier.state = 'pending' and earlier.sequence < due.sequence)`

export const deliveryStore = (db: Db) => ({
	/**
	 * Claims the delivery of an endpoint that is due for the longest time, or returns undefined if none may start. A failing
	 * endpoint gets none from the queue of the others.
	 */
	async claimNext({ endpointId, isFailing }: Wake, now: number): Promise<DeliveryRow | undefined> {
		const inFlight = sql`(select count(*) from webhook_deliveries as leased where leased.endpoint_id = ${endpointId} and leased.lease_until > ${now})`
		const next = sql`(
			select due.event_id from webhook_deliveries as due join webhook_endpoints as endpoint on endpoint.id = due.endpoint_id
			where due.endpoint_id = ${endpointId} and due.state = 'pending' and due.due_at <= ${now} and coalesce(due.lease_until, 0) <= ${now}
				and endpoint.status = 'enabled' and ${isOfActiveOrg(sql`endpoint.org_id`)} and endpoint.next_attempt_at <= ${now} and (endpoint.failures > 0) <= ${isFailing ? 1 : 0} and ${inFlight} < ${inFlightLimit} and not (${mustWait})
			order by due.due_at, due.sequence limit 1
		)`
		const [row] = await db
			.update(webhookDeliveries)
			.set({
				leaseUntil: now + LEASE_MS,
				epoch: sql`${webhookDeliveries.epoch} + 1`,
			})
			.where(and(eq(webhookDeliveries.endpointId, endpointId), sql`${webhookDeliveries.eventId} = ${next}`))
			.returning()
		return row
	},

	/** Records a success, unless the lease was lost to another consumer. */
	async recordSuccess(
		delivery: DeliveryRow,
		outcome: Outcome,
		startedAt: number,
		now: number,
	): Promise<void> {
		// An earlier request may succeed after a later one was told to wait.
		const keptWait = sql<number>`iif(coalesce(${webhookEndpoints.lastFailureAt}, 0) >= ${startedAt}, ${webhookEndpoints.nextAttemptAt}, 0)`
		await batch(db, {
			attemptInserted: insertAttemptStatement(db, delivery, outcome, startedAt),
			deliveryEnded: db
				.update(webhookDeliveries)
				.set({ ...fieldsAfterAttempt(delivery, outcome), state: 'delivered', endedAt: now })
				.where(isClaimed(delivery)),
			endpointHealed: db
				.update(webhookEndpoints)
				.set({ ...healthy, nextAttemptAt: keptWait, lastSuccessAt: now })
				.where(and(eq(webhookEndpoints.id, delivery.endpointId), isEnabled, sql`changes() > 0`)),
		})
	},

	/**
	 * Records a failure, and plans the next attempt. The endpoint is disabled if the receiver asked for that, or if it has
	 * failed for too long. Returns when the endpoint should be woken for the next attempt.
	 */
	async recordFailure(
		delivery: DeliveryRow,
		endpoint: EndpointRow,
		outcome: Outcome,
		{ startedAt, now, random }: { startedAt: number; now: number; random: number },
	): Promise<number | null> {
		const isDelivered = outcome.problem === null
		const endState = isDelivered ? 'delivered' : 'failed'
		const wait = waitAfter(delivery.attempts + 1 - delivery.attemptsBefore, random)
		const dueAt = isDelivered || wait === null ? null : now + Math.max(wait, outcome.retryAfterMs ?? 0)
		const { failures, failingSince, lastFailureAt, nextAttemptAt, url } = webhookEndpoints
		// Of requests that ran at the same time, only the first failure begins a break.
		const isLate = sql`${failures} >= ${BREAKER_FAILURES} and ${lastFailureAt} >= ${startedAt}`
		const breakMs = sql`iif(${failures} + 1 < ${BREAKER_FAILURES} or (${isLate}), 0, min(${BREAKER_MAX_MS}, ${BREAKER_FIRST_MS} << min(${failures} + 1 - ${BREAKER_FAILURES}, 10)))`
		// The owner may have changed or enabled the endpoint while the request ran.
		const isHopeless = outcome.refusal === null ? sql`${failingSince} <= ${now - SWITCH_OFF_MS}` : sql`true`
		const { endpointFailed, endpointDisabled } = await batch(db, {
			attemptInserted: insertAttemptStatement(db, delivery, outcome, startedAt),
			deliveryDelayed: db
				.update(webhookDeliveries)
				.set({
					...fieldsAfterAttempt(delivery, outcome),
					...(dueAt === null ? { state: endState, endedAt: now } : { dueAt }),
				})
				.where(isClaimed(delivery)),
			endpointFailed: db
				.update(webhookEndpoints)
				.set({
					failures: sql`${failures} + 1`,
					failingSince: sql`coalesce(${failingSince}, ${now})`,
					nextAttemptAt: sql`max(${nextAttemptAt}, ${now} + max(${breakMs}, ${outcome.retryAfterMs ?? 0}))`,
					lastFailureAt: now,
				})
				.where(and(eq(webhookEndpoints.id, delivery.endpointId), sql`changes() > 0`))
				.returning({ nextAttemptAt }),
			endpointDisabled: db
				.update(webhookEndpoints)
				.set({ status: 'disabled', statusReason: outcome.refusal ?? 'every attempt failed for five days' })
				.where(
					and(
						eq(webhookEndpoints.id, delivery.endpointId),
						isEnabled,
						eq(url, endpoint.url),
						isHopeless,
						sql`changes() > 0`,
					),
				)
				.returning({ id: webhookEndpoints.id }),
			eventRecorded: recordEventIfChangedStatement(db, now, {
				type: 'webhook.disabled',
				orgId: endpoint.orgId,
				payload: { endpointId: endpoint.id },
			}),
			othersEnded: db
				.update(webhookDeliveries)
				.set({ state: 'failed', endedAt: now })
				.where(and(eq(webhookDeliveries.endpointId, endpoint.id), isPending, sql`changes() > 0`)),
		})
		const [recorded] = endpointFailed
		if (!recorded || endpointDisabled.length > 0 || dueAt === null) return null
		return Math.max(dueAt, recorded.nextAttemptAt)
	},

	/** Ends the lease without an attempt: until an instant, or for good if the event no longer exists. */
	async giveBack(delivery: DeliveryRow, until: number | null, now: number): Promise<void> {
		await db
			.update(webhookDeliveries)
			.set({ leaseUntil: null, ...(until === null ? { state: 'failed', endedAt: now } : { dueAt: until }) })
			.where(isClaimed(delivery))
	},

	/** Returns enabled endpoints with deliveries that are overdue, because a message was lost or a consumer died. */
	async listOverdue(now: number, limit: number): Promise<Wake[]> {
		const isOverdue = sql`exists (select 1 from webhook_deliveries as due join webhook_endpoints as endpoint on endpoint.id = due.endpoint_id where due.endpoint_id = ${webhookEndpoints.id} and due.state = 'pending' and due.due_at <= ${now - OVERDUE_MS} and coalesce(due.lease_until, 0) <= ${now} and not (${mustWait}))`
		const rows = await db
			.select({ endpointId: webhookEndpoints.id, failures: webhookEndpoints.failures })
			.from(webhookEndpoints)
			.where(
				and(
					isEnabled,
					isOfActiveOrg(sql`${webhookEndpoints.orgId}`),
					sql`${webhookEndpoints.nextAttemptAt} <= ${now}`,
					isOverdue,
				),
			)
			.orderBy(asc(webhookEndpoints.nextAttemptAt))
			.limit(limit)
		return rows.map(({ endpointId, failures }) => ({ endpointId, isFailing: failures > 0 }))
	},

	async prune(before: number): Promise<void> {
		const isOld = (column: SQL) => sql`${column} < ${before}`
		await db.batch([
			db.delete(webhookAttempts).where(isOld(sql`${webhookAttempts.startedAt}`)),
			db.delete(webhookDeliveries).where(isOld(sql`${webhookDeliveries.createdAt}`)),
		])
	},
})

/** An attempt that a crash cut short does not count. */
const fieldsAfterAttempt = ({ attempts }: DeliveryRow, { status }: Outcome) => ({
	attempts: attempts + 1,
	leaseUntil: null,
	lastStatus: status,
})

/** Inserts nothing if the lease was lost. Comes first in its batch, since later statements change the lease. */
const insertAttemptStatement = (
	db: Db,
	delivery: DeliveryRow,
	{ durationMs, status, problem, responseText }: Outcome,
	startedAt: number,
) =>
	insertSelect(
		db,
		webhookAttempts,
		{
			endpointId: delivery.endpointId,
			eventId: delivery.eventId,
			number: delivery.attempts + 1,
			orgId: delivery.orgId,
			...{ startedAt, durationMs, status, problem, responseText },
		},
		sql`from ${webhookDeliveries} where ${isClaimed(delivery)}`,
	).returning({ number: webhookAttempts.number })
