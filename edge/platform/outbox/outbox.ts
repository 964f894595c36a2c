import { and, eq, isNotNull, isNull, lt, not, type SQL, sql } from 'drizzle-orm'
import { type DomainEvent, eventByType, personalFields } from '#schema/contract/events.ts'
import { urgencies } from '#schema/contract/kit/event.ts'
import { outbox } from '#schema/tables/platform.ts'
import { DAY, SECOND } from '../clock.ts'
import type { Db } from '../database/database.ts'
import { newId } from '../database/ids.ts'
import { insertSelect, type SelectedColumns } from '../database/insert-select.ts'
import { isRevoking } from '../rewind/revoking.ts'
import { wasSuspendedSince } from '../suspension.ts'
import type { UnitOfWork } from '../unit-of-work.ts'

/** How long the sweep waits for a request to relay its own events. */
export const FIRST_SWEEP_MS = 15 * SECOND
/** How long events are kept, and public ones can be read and resent. */
export const EVENTS_KEPT_MS = 30 * DAY

/** A draft of an event. An earlier statement of the same batch may produce its payload. */
type Draft<E extends DomainEvent = DomainEvent> = E extends DomainEvent
	? Omit<E, 'payload' | 'orgId'> & {
			orgId: E['orgId'] | SQL
			/** Differs from the start of the work if the change comes much later. */
			createdAt?: number
			payload: { [K in keyof E['payload']]: E['payload'][K] | SQL }
		}
	: never

/** Returns the statement that records an event. Must directly follow the change, in the same batch. */
export const recordEventStatement = (work: UnitOfWork, event: Draft) =>
	insertSelect(work.db, outbox, newEventRow(work, event))

/** Like `recordEventStatement`, but inserts only if the previous statement of the batch changed something. */
export const recordEventIfChangedStatement = (work: UnitOfWork, event: Draft) =>
	recordEventIfStatement(work, event, sql`changes() > 0`)

export const recordEventIfStatement = (work: UnitOfWork, event: Draft, condition: SQL) =>
	insertSelect(work.db, outbox, newEventRow(work, event), sql`where ${condition}`)

/** For a condition that rarely holds: returns the event's id, which the caller adds to `eventIds` of its work. */
export const recordRareEventStatement = (db: Db, now: number, event: Draft, condition: SQL) =>
	insertSelect(db, outbox, eventRow(newId('evt', now), now, event), sql`where ${condition}`).returning({
		id: outbox.id,
	})

/**
 * Returns the statement that records an event per row of a selection, such as `from memberships …`, sorted by
 * `order`. These events have no followers; the sweep plans their deliveries.
 */
export function recordEventPerRowStatement(db: Db, now: number, event: Draft, from: SQL, order: SQL) {
	const id = newId('evt', now)
	const columns = publicColumnsOf(event)
	const { sequence, ...publicColumns } = columns ?? {}
	return insertSelect(
		db,
		outbox,
		{
			...publicColumns,
			...(sequence && {
				sequence: sql<number>`
					${sequence} - 1 + row_number() over (partition by ${event.orgId} order by ${order})
				`,
			}),
			// As many random characters as an id has.
			id: sql<string>`${id.slice(0, -16)} || lower(hex(randomblob(8)))`,
			...handledColumns(event, id, now, columns !== null),
		},
		from,
	)
}

/** Returns the row of an event, which is relayed and planned after the work. */
function newEventRow(work: UnitOfWork, event: Draft): SelectedColumns<typeof outbox> {
	const now = event.createdAt ?? work.now
	const id = newId('evt', now)
	const { urgency, public: shown } = eventByType[event.type]
	if (isRevoking(event.type)) work.hasRevoked = true
	if (shown) work.publicEventIds.add(id)
	if (urgency !== 'none') work.eventIds.add(id)
	return eventRow(id, now, event)
}

/** Returns the row of an event. An event without followers is inserted as done. */
function eventRow(id: string, now: number, event: Draft): SelectedColumns<typeof outbox> {
	const { type, orgId } = event
	const { urgency } = eventByType[type]
	const publicColumns = publicColumnsOf(event)
	if (urgency === 'none')
		return { ...publicColumns, id, ...handledColumns(event, id, now, publicColumns !== null) }
	return {
		...publicColumns,
		id,
		type,
		orgId,
		payload: jsonOf(event),
		createdAt: now,
		dueAt: now + FIRST_SWEEP_MS,
		urgency: urgencies.indexOf(urgency),
		tenant: tenantOf(id, event),
	}
}

/** Returns the columns of an event without followers. */
function handledColumns(event: Draft, tenant: string, now: number, isPublic: boolean) {
	const { type, orgId } = event
	const payload = jsonOf(event, isPublic ? [] : personalFields)
	const urgency = urgencies.indexOf('rest')
	return { type, orgId, payload, createdAt: now, dueAt: now, doneAt: now, urgency, tenant }
}

/** Returns the columns that only public events have. Events of communities without an organization are not public. */
function publicColumnsOf({ type, orgId, payload }: Draft) {
	const shown = eventByType[type].public
	if (!shown) return null
	const resourceId = (payload as Record<string, unknown>)[shown.resource]
	const [kind] = type.split('.')
	return {
		// D1 binds a number as a real, which SQL would write as 2.0.
		resource:
			typeof resourceId === 'number' ? `${kind}:${resourceId}` : sql<string>`${`${kind}:`} || ${resourceId}`,
		sequence: sql<number>`
			case
				when ${orgId} is not null then (
					select coalesce(max(earlier.sequence), 0) + 1 from outbox as earlier
					where earlier.org_id = ${orgId} and earlier.sequence is not null
				)
			end
		`,
	}
}

function jsonOf({ payload }: Draft, without: readonly string[] = []): SQL {
	const pairs = Object.entries(payload).filter(([name]) => !without.includes(name))
	return sql`json_object(${sql.join(
		pairs.map(([name, value]) => sql`${name}, ${value}`),
		sql`, `,
	)})`
}

/** Returns the tenant for fair sweeping. Each account event is a tenant of its own, so it waits for none. */
function tenantOf(id: string, { orgId, payload }: Draft): SQL | string {
	if (typeof orgId === 'string') return orgId
	const community =
		'communityId' in payload ? sql`'community:' || cast(${payload.communityId} as integer)` : sql`null`
	return sql`coalesce(${orgId}, ${community}, ${id})`
}

export async function findEvent(db: Db, id: string) {
	const [row] = await db
		.select()
		.from(outbox)
		.where(and(eq(outbox.id, id), isNull(outbox.doneAt)))
	return row
}

const payloadWithoutPersonalFields = sql`json_remove(${outbox.payload}, ${sql.join(
	personalFields.map((field) => sql`${`$.${field}`}`),
	sql`, `,
)})`

const hasPersonalFields = sql`
	exists (select 1 from json_each(${outbox.payload}) as field where field.key in (${sql.join(
		personalFields.map((field) => sql`${field}`),
		sql`, `,
	)}))
`

/** Marks an event as done. Removes personal fields of its payload unless it is public. */
export async function finishEvent(db: Db, id: string, now: number): Promise<void> {
	await db
		.update(outbox)
		.set({
			doneAt: now,
			payload: sql`iif(${outbox.sequence} is null, ${payloadWithoutPersonalFields}, ${outbox.payload})`,
		})
		.where(and(eq(outbox.id, id), isNull(outbox.doneAt)))
}

/**
 * Deletes old events. Keeps each organization's newest public event, without personal fields, because the next
 * sequence is derived from it.
 */
export async function pruneEvents(db: Db, now: number): Promise<void> {
	const isNewest = sql`not exists (
		select 1 from outbox as newer where newer.org_id = ${outbox.orgId} and newer.sequence > ${outbox.sequence}
	)`
	const isNeeded = sql`${outbox.sequence} is not null and ${isNewest}`
	const before = now - EVENTS_KEPT_MS
	// A suspended organization's webhooks still need its events.
	const mayBeNeeded = wasSuspendedSince(outbox.orgId, before)
	const isOld = and(isNotNull(outbox.doneAt), lt(outbox.doneAt, before), not(mayBeNeeded))
	await db.batch([
		db.delete(outbox).where(and(isOld, sql`not (${isNeeded})`)),
		db.update(outbox).set({ payload: payloadWithoutPersonalFields }).where(and(isOld, hasPersonalFields)),
	])
}

/** Hides public events of organizations that are deleted, and removes the personal fields of their payloads. */
export const hidePublicEventsStatement = (db: Db, which: SQL) =>
	db
		.update(outbox)
		.set({ sequence: null, resource: null, payload: payloadWithoutPersonalFields })
		.where(which)
