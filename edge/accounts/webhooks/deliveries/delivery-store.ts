import { and, asc, eq, ne, type SQL, sql } from 'drizzle-orm'
import { webhookAttempts, webhookDeliveries, webhookEndpoints } from '#schema/tables/accounts/webhooks.ts'
import { auditIfChangedStatement } from '../../../platform/audit/audit.ts'
import { SECOND } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { recordEventIfChangedStatement } from '../../../platform/outbox/outbox.ts'
import { wasSuspendedSince } from '../../../platform/suspension.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import { backoffSql } from '../../../platform/work/backoff.ts'
import {
	BREAKER_FAILURES,
	isAtConcurrencyLimit,
	isEnabled,
	isOfActiveOrg,
	ROWS_AT_ONCE,
} from '../conditions.ts'
import { deleteRows } from '../delete-rows.ts'
import { type EndpointRow, healthy } from '../endpoints/endpoint-store.ts'
import { toWakeMessage, type Wake } from '../planning/wake.ts'
import { type Outcome, TIMEOUT_MS } from './attempt.ts'
import { BREAK, computeRetryDelay, FAILURE_GAP_MS, SWITCH_OFF_MS } from './next-attempt.ts'

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

/** In an ordered endpoint, an earlier event of the same resource is still pending. */
const mustWait = sql`
	webhook_endpoints.ordering = 'resource'
	and exists (
		select 1 from webhook_deliveries as earlier
		where earlier.endpoint_id = due.endpoint_id
			and earlier.resource = due.resource
			and earlier.state = 'pending'
			and earlier.sequence < due.sequence
	)
`

export const deliveryStore = (db: Db) => ({
	/**
	 * Claims the most overdue delivery of an endpoint, or returns undefined if none may start. A failing endpoint uses
	 * a queue of its own.
	 */
	async claimNext({ endpointId, isFailing }: Wake, now: number): Promise<DeliveryRow | undefined> {
		const next = sql`(
			select due.event_id from webhook_deliveries as due
			join webhook_endpoints on webhook_endpoints.id = due.endpoint_id
			where due.endpoint_id = ${endpointId}
				and due.state = 'pending'
				and due.due_at <= ${now}
				and coalesce(due.lease_until, 0) <= ${now}
				and ${isEnabled}
				and ${isOfActiveOrg}
				and webhook_endpoints.next_attempt_at <= ${now}
				and (webhook_endpoints.failures > 0) <= ${isFailing ? 1 : 0}
				and not (${isAtConcurrencyLimit(now)})
				and not (${mustWait})
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

	/** Records a success, unless the lease was lost. The receiver may have refused further deliveries. */
	async recordSuccess(
		work: UnitOfWork,
		delivery: DeliveryRow,
		endpoint: EndpointRow,
		outcome: Outcome,
		{ startedAt, now }: { startedAt: number; now: number },
	): Promise<void> {
		// An earlier request may succeed after a later one was told to wait.
		const keptWait = sql<number>`
			iif(
				coalesce(${webhookEndpoints.lastFailureAt}, 0) >= ${startedAt}, ${webhookEndpoints.nextAttemptAt}, 0
			)
		`
		await batch(db, {
			attemptInserted: insertAttemptStatement(db, delivery, endpoint, outcome, startedAt),
			deliveryEnded: db
				.update(webhookDeliveries)
				.set({ ...fieldsAfterAttempt(delivery, outcome), state: 'delivered', endedAt: now })
				.where(isClaimed(delivery)),
			endpointHealed: db
				.update(webhookEndpoints)
				.set({ ...healthy, nextAttemptAt: keptWait, lastSuccessAt: now })
				.where(and(isAttempted(endpoint), isEnabled, sql`changes() > 0`)),
			...(outcome.refusal !== null && disableStatements(work, endpoint, outcome.refusal, sql`true`, now)),
		})
	},

	/**
	 * Records a failure, and schedules the next attempt. Disables the endpoint if the receiver asked for that, or after
	 * too long a failure. Returns when to wake the endpoint for this delivery and for the first of the others.
	 */
	async recordFailure(
		work: UnitOfWork,
		delivery: DeliveryRow,
		endpoint: EndpointRow,
		outcome: Outcome,
		{ startedAt, now, random }: { startedAt: number; now: number; random: number },
	): Promise<number[]> {
		const wait = computeRetryDelay(delivery.attempts + 1 - delivery.attemptsBefore, random)
		const dueAt = wait === null ? null : now + Math.max(wait, outcome.retryAfterMs ?? 0)
		const { failures, failingSince, lastFailureAt, nextAttemptAt } = webhookEndpoints
		// Of concurrent requests, only the first failure opens the breaker, and so doubles its next pause.
		const isLate = sql`${failures} >= ${BREAKER_FAILURES} and ${lastFailureAt} >= ${startedAt}`
		const breakMs = sql`iif(
			${failures} + 1 < ${BREAKER_FAILURES}
			or (${isLate}), 0, ${backoffSql(BREAK, sql`${failures} + 1 - ${BREAKER_FAILURES}`)}
		)`
		const isAfterGap = sql`coalesce(${lastFailureAt}, 0) < ${now - FAILURE_GAP_MS}`
		const [reason, mustDisable] =
			outcome.refusal === null
				? ['every attempt failed for five days', sql`${failingSince} <= ${now - SWITCH_OFF_MS}`]
				: [outcome.refusal, sql`true`]
		const { endpointFailed, endpointDisabled, firstOfOthers } = await batch(db, {
			attemptInserted: insertAttemptStatement(db, delivery, endpoint, outcome, startedAt),
			deliveryDelayed: db
				.update(webhookDeliveries)
				.set({
					...fieldsAfterAttempt(delivery, outcome),
					...(dueAt === null ? { state: 'failed', endedAt: now } : { dueAt }),
				})
				.where(isClaimed(delivery)),
			endpointFailed: db
				.update(webhookEndpoints)
				.set({
					failures: sql`${failures} + iif(${isLate}, 0, 1)`,
					failingSince: sql`iif(${isAfterGap}, ${now}, coalesce(${failingSince}, ${now}))`,
					nextAttemptAt: sql`max(${nextAttemptAt}, ${now} + max(${breakMs}, ${outcome.retryAfterMs ?? 0}))`,
					lastFailureAt: now,
				})
				.where(and(isAttempted(endpoint), sql`changes() > 0`))
				.returning({ nextAttemptAt }),
			...disableStatements(work, endpoint, reason, mustDisable, now),
			firstOfOthers: db
				.select({ dueAt: sql<number | null>`min(${webhookDeliveries.dueAt})` })
				.from(webhookDeliveries)
				.where(
					and(
						eq(webhookDeliveries.endpointId, endpoint.id),
						isPending,
						ne(webhookDeliveries.eventId, delivery.eventId),
						sql`coalesce(${webhookDeliveries.leaseUntil}, 0) <= ${now}`,
					),
				),
		})
		if (endpointDisabled.length > 0) return []
		const pausedUntil = endpointFailed[0]?.nextAttemptAt ?? now
		const dueTimes = [dueAt, firstOfOthers[0]?.dueAt].flatMap((at) => at ?? [])
		return [...new Set(dueTimes.map((at) => Math.max(at, pausedUntil)))]
	},

	/** Ends the lease without an attempt: until an instant, or permanently if the event no longer exists. */
	async giveBack(delivery: DeliveryRow, until: number | null, now: number): Promise<void> {
		await db
			.update(webhookDeliveries)
			.set({ leaseUntil: null, ...(until === null ? { state: 'failed', endedAt: now } : { dueAt: until }) })
			.where(isClaimed(delivery))
	},

	/** Lists enabled endpoints with overdue deliveries, whose message was lost or whose consumer died. */
	async listOverdue(now: number, limit: number): Promise<Wake[]> {
		const isOverdue = sql`exists (
			select 1 from webhook_deliveries as due
			where due.endpoint_id = ${webhookEndpoints.id}
				and due.state = 'pending'
				and due.due_at <= ${now - OVERDUE_MS}
				and coalesce(due.lease_until, 0) <= ${now}
				and not (${mustWait})
		)`
		const rows = await db
			.select({ endpointId: webhookEndpoints.id, failures: webhookEndpoints.failures })
			.from(webhookEndpoints)
			.where(and(isEnabled, isOfActiveOrg, sql`${webhookEndpoints.nextAttemptAt} <= ${now}`, isOverdue))
			.orderBy(asc(webhookEndpoints.nextAttemptAt))
			.limit(limit)
		return rows.map(toWakeMessage)
	},

	/** Ends deliveries of disabled endpoints that had more pending ones than one statement ends. */
	async endRefused(now: number): Promise<void> {
		const refused = sql`
			select due.rowid from webhook_endpoints
			join webhook_deliveries as due on due.endpoint_id = webhook_endpoints.id and due.state = 'pending'
			where webhook_endpoints.status = 'disabled' limit ${ROWS_AT_ONCE}
		`
		await db
			.update(webhookDeliveries)
			.set({ state: 'failed', endedAt: now })
			.where(sql`${webhookDeliveries}.rowid in (${refused})`)
	},

	/** Deletes old deliveries and attempts. */
	prune(before: number): Promise<void> {
		return deleteRows(db, {
			deliveries: sql`
				${webhookDeliveries.createdAt} < ${before}
				and not ${wasSuspendedSince(webhookDeliveries.orgId, before)}
			`,
			attempts: sql`${webhookAttempts.startedAt} < ${before}`,
		})
	},
})

/** Matches the endpoint if its URL is still the one that was attempted: its owner may have changed it meanwhile. */
const isAttempted = ({ id, url }: EndpointRow) =>
	and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.url, url))

/** For a batch, after a statement that changes the endpoint. */
const disableStatements = (
	work: UnitOfWork,
	endpoint: EndpointRow,
	reason: string,
	condition: SQL,
	now: number,
) => {
	const pending = sql`
		select due.rowid from webhook_deliveries as due
		where due.endpoint_id = ${endpoint.id} and due.state = 'pending' limit ${ROWS_AT_ONCE}
	`
	return {
		endpointDisabled: work.db
			.update(webhookEndpoints)
			.set({ status: 'disabled', statusReason: reason })
			.where(and(isAttempted(endpoint), isEnabled, condition, sql`changes() > 0`))
			.returning({ id: webhookEndpoints.id }),
		entryWritten: auditIfChangedStatement(work, {
			action: 'webhook.disabled',
			orgId: endpoint.orgId,
			target: { kind: 'webhook', id: endpoint.id },
			details: { reason },
		}),
		disablingRecorded: recordEventIfChangedStatement(work, {
			type: 'webhook.disabled',
			orgId: endpoint.orgId,
			createdAt: now,
			payload: { endpointId: endpoint.id },
		}),
		othersEnded: work.db
			.update(webhookDeliveries)
			.set({ state: 'failed', endedAt: now })
			.where(sql`${webhookDeliveries}.rowid in (${pending}) and changes() > 0`),
	}
}

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
	{ url, payload }: EndpointRow,
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
			...{ url, payload, startedAt, durationMs, status, problem, responseText },
		},
		sql`from ${webhookDeliveries} where ${isClaimed(delivery)}`,
	).returning({ number: webhookAttempts.number })
