import { and, asc, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { PublicEventType } from '#schema/contract/public-events.ts'
import { webhookAttempts, webhookDeliveries, webhookEndpoints } from '#schema/tables/accounts/webhooks.ts'
import { outbox } from '#schema/tables/platform.ts'
import { auditIfStatement } from '../../../platform/audit/audit.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Position } from '../../../platform/database/keyset.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import { isEnabled, isSubscribed } from '../conditions.ts'
import { type EndpointRow, endpointStore } from '../endpoints/endpoint-store.ts'
import { insertDeliveriesStatement } from '../planning/plan-store.ts'
import type { DeliveryRow } from './delivery-store.ts'

export type LogFilter = {
	type: PublicEventType | undefined
	status: DeliveryRow['state'] | undefined
	endpointId: string | undefined
	since: number | null
	until: number | null
}

export type Recovery = {
	/** Sequence; only later events. */
	after: number
	since: number
	until: number
	types?: readonly PublicEventType[] | undefined
	only: 'failed' | 'all'
	endpointId?: string | undefined
}

/** SQL condition: the recovery covers the outbox row `event`. */
const isInPeriod = (orgId: string, { after, since, until, types }: Recovery) =>
	sql`
		event.org_id = ${orgId}
		and event.sequence > ${after}
		and event.created_at >= ${since}
		and event.created_at < ${until}${
			types
				? sql`
			and event.type in (select value from json_each(${JSON.stringify(types)}))
		`
				: sql`
			
		`
		}
	`

const restarted = (now: number) => ({
	state: 'pending' as const,
	dueAt: now,
	endedAt: null,
	attemptsBefore: sql`${webhookDeliveries.attempts}`,
})

export const deliveryLogStore = (db: Db) => ({
	/** Lists deliveries, newest event first. */
	list(orgId: string, filter: LogFilter, limit: number, position: Position | null): Promise<DeliveryRow[]> {
		const { sequence, endpointId } = webhookDeliveries
		const optional = <T>(value: T | undefined | null, toSql: (value: T) => SQL) =>
			value === undefined || value === null ? undefined : toSql(value)
		return db
			.select()
			.from(webhookDeliveries)
			.where(
				and(
					eq(webhookDeliveries.orgId, orgId),
					optional(filter.type, (type) => eq(webhookDeliveries.type, type)),
					optional(filter.status, (status) => eq(webhookDeliveries.state, status)),
					optional(filter.endpointId, (id) => eq(endpointId, id)),
					optional(filter.since, (since) => gte(webhookDeliveries.createdAt, since)),
					optional(filter.until, (until) => lt(webhookDeliveries.createdAt, until)),
					position ? sql`(${sequence}, ${endpointId}) < (${position[0]}, ${position[1]})` : undefined,
				),
			)
			.orderBy(desc(sequence), desc(endpointId))
			.limit(limit + 1)
	},

	async findOfEvent(orgId: string, eventId: string) {
		const isOfEvent = and(eq(webhookDeliveries.eventId, eventId), eq(webhookDeliveries.orgId, orgId))
		const { deliveries, attempts } = await batch(db, {
			deliveries: db
				.select()
				.from(webhookDeliveries)
				.where(isOfEvent)
				.orderBy(asc(webhookDeliveries.endpointId)),
			attempts: db
				.select()
				.from(webhookAttempts)
				.where(
					and(
						eq(webhookAttempts.eventId, eventId),
						inArray(
							webhookAttempts.endpointId,
							db.select({ id: webhookDeliveries.endpointId }).from(webhookDeliveries).where(isOfEvent),
						),
					),
				)
				.orderBy(asc(webhookAttempts.number)),
		})
		return { deliveries, attempts }
	},

	/** Makes deliveries of an event due again, to enabled endpoints that are not being attempted. */
	restart(
		orgId: string,
		eventId: string,
		endpointId: string | undefined,
		now: number,
	): Promise<DeliveryRow[]> {
		return db
			.update(webhookDeliveries)
			.set(restarted(now))
			.where(
				and(
					eq(webhookDeliveries.eventId, eventId),
					eq(webhookDeliveries.orgId, orgId),
					endpointId === undefined ? undefined : eq(webhookDeliveries.endpointId, endpointId),
					sql`coalesce(${webhookDeliveries.leaseUntil}, 0) <= ${now}`,
					sql`exists (
						select 1 from ${webhookEndpoints}
						where ${webhookEndpoints.id} = ${webhookDeliveries.endpointId} and ${isEnabled}
					)`,
				),
			)
			.returning()
	},

	/** Returns the sequence of the event that is the `count`th of a period; undefined if the period has fewer. */
	async findWindowEnd(orgId: string, recovery: Recovery, count: number): Promise<number | undefined> {
		const [row] = await db.all<{ sequence: number }>(
			sql`
				select event.sequence from outbox as event
				where ${isInPeriod(orgId, recovery)}
				order by event.sequence limit 1 offset ${count - 1}
			`,
		)
		return row?.sequence
	},

	/** Returns the statements that make the deliveries of a period due again, up to an event, and add those that were never planned. */
	recoverStatements(orgId: string, recovery: Recovery, upTo: number | undefined, now: number) {
		const { only, endpointId } = recovery
		const isWanted = sql`
			webhook_endpoints.org_id = ${orgId}
			and ${isEnabled}${endpointId === undefined ? sql`` : sql` and webhook_endpoints.id = ${endpointId}`}
		`
		const isInWindow = sql`
			${isInPeriod(orgId, recovery)}${upTo === undefined ? sql`` : sql` and event.sequence <= ${upTo}`}
		`
		const states = only === 'failed' ? sql`delivery.state = 'failed'` : sql`delivery.state <> 'pending'`
		const chosen = sql`(
			select delivery.rowid from outbox as event
			cross join webhook_deliveries as delivery on delivery.event_id = event.id
			join webhook_endpoints on webhook_endpoints.id = delivery.endpoint_id
			where ${isInWindow} and ${states} and ${isWanted}
		)`
		const isPlanned = sql`exists (
			select 1 from webhook_deliveries as delivery
			where delivery.endpoint_id = webhook_endpoints.id and delivery.event_id = event.id
		)`
		return {
			missingAdded: insertDeliveriesStatement(
				db,
				sql`
					from ${outbox} as event
					join webhook_endpoints on event.sequence <= webhook_endpoints.planned_sequence
					where ${isWanted} and ${isSubscribed} and ${isInWindow} and not ${isPlanned}
				`,
				now,
			).returning({ endpointId: webhookDeliveries.endpointId }),
			deliveriesRestarted: db
				.update(webhookDeliveries)
				.set(restarted(now))
				.where(sql`${webhookDeliveries}.rowid in ${chosen}`)
				.returning({ endpointId: webhookDeliveries.endpointId }),
		}
	},

	/** Recovers deliveries. Returns the endpoint of each. */
	async recover(orgId: string, recovery: Recovery, upTo: number | undefined, now: number): Promise<string[]> {
		const recovered = await batch(db, this.recoverStatements(orgId, recovery, upTo, now))
		return [...recovered.missingAdded, ...recovered.deliveriesRestarted].map((row) => row.endpointId)
	},

	/**
	 * Recovers deliveries of one endpoint, and enables it in the same batch if it was disabled. Returns null if it is not
	 * enabled then.
	 */
	async recoverEndpoint(
		work: UnitOfWork,
		{ id, orgId, status }: EndpointRow,
		recovery: Recovery,
		upTo: number | undefined,
	): Promise<number | null> {
		const isDisabled = status === 'disabled'
		const change = { status: 'enabled' } as const
		const which = sql`${webhookEndpoints.id} = ${id} and ${isEnabled}`
		const { enabled, missingAdded, deliveriesRestarted } = await batch(db, {
			endpointEnabled: isDisabled
				? endpointStore(db).updateStatement(
						orgId,
						id,
						change,
						work.now,
						sql`${webhookEndpoints.status} = 'disabled'`,
					)
				: null,
			...this.recoverStatements(orgId, { ...recovery, endpointId: id }, upTo, work.now),
			entryWritten: auditIfStatement(
				work,
				{
					action: 'webhook.recovered',
					orgId,
					target: { kind: 'webhook', id },
					details: { since: recovery.since, after: recovery.after, enabled: isDisabled },
				},
				sql`exists (select 1 from ${webhookEndpoints} where ${which})`,
			),
			enabled: db.select({ id: webhookEndpoints.id }).from(webhookEndpoints).where(which),
		})
		return enabled.length === 0 ? null : missingAdded.length + deliveriesRestarted.length
	},
})
