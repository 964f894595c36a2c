import { and, eq, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { type DomainEvent, urgencies, urgencyOf } from '#schema/contract/platform/events.ts'
import { outbox } from '#schema/tables/platform.ts'
import { DAY, SECOND } from '../clock.ts'
import type { Db } from '../database/database.ts'
import { newId } from '../database/ids.ts'
import { insertSelect, type SelectedColumns } from '../database/insert-select.ts'

/** How long the sweep waits for a request to relay its own events. */
export const FIRST_SWEEP_MS = 15 * SECOND
const KEPT_MS = 30 * DAY
/** Personal fields of payloads. They are removed early, because the deletion of an account does not find outbox rows. */
const PERSONAL_FIELDS = ['title', 'errorMessage', 'ip', 'userAgent', 'formerEmail']

/** An event before it is inserted. An earlier statement of the same batch may produce values of its payload. */
type Draft<E extends DomainEvent = DomainEvent> = E extends DomainEvent
	? Omit<E, 'payload' | 'orgId'> & {
			orgId: E['orgId'] | SQL
			payload: { [K in keyof E['payload']]: E['payload'][K] | SQL }
		}
	: never

/** Returns the statement that records an event. Put it right after the change, in the same batch. */
export function recordEventStatement(db: Db, now: number, event: Draft) {
	return insertSelect(db, outbox, eventRow(db, now, event))
}

/** Like `recordEventStatement`, but inserts only if the statement before it in the batch changed something. */
export const recordEventIfChangedStatement = (db: Db, now: number, event: Draft) =>
	recordEventIfStatement(db, now, event, sql`changes() > 0`)

export function recordEventIfStatement(db: Db, now: number, event: Draft, condition: SQL) {
	return insertSelect(db, outbox, eventRow(db, now, event), sql`where ${condition}`)
}

/** Returns the row of an event. An event without followers is inserted as done. */
function eventRow(db: Db, now: number, event: Draft): SelectedColumns<typeof outbox> {
	const id = newId('evt', now)
	const urgency = urgencyOf[event.type]
	const { type, orgId } = event
	if (urgency === 'none') {
		const payload = jsonOf(event, PERSONAL_FIELDS)
		const rest = urgencies.indexOf('rest')
		return { id, type, orgId, payload, createdAt: now, dueAt: now, doneAt: now, urgency: rest, tenant: id }
	}
	remember(db, id)
	return {
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

function jsonOf({ payload }: Draft, without: readonly string[] = []): SQL {
	const pairs = Object.entries(payload).filter(([name]) => !without.includes(name))
	return sql`json_object(${sql.join(
		pairs.map(([name, value]) => sql`${name}, ${value}`),
		sql`, `,
	)})`
}

/** Returns the tenant that shares sweeps with others. Each event of an account is its own tenant and waits for none. */
function tenantOf(id: string, { orgId, payload }: Draft): SQL | string {
	if (typeof orgId === 'string') return orgId
	const community =
		'communityId' in payload ? sql`'community:' || cast(${payload.communityId} as integer)` : sql`null`
	return sql`coalesce(${orgId}, ${community}, ${id})`
}

const recorded = new WeakMap<Db, Set<string>>()

function remember(db: Db, id: string): void {
	const ids = recorded.get(db)
	if (ids) ids.add(id)
	else recorded.set(db, new Set([id]))
}

/** Returns the ids of events that a request recorded, or tried to, and has not relayed. Each request has its own `Db`. */
export const recordedIds = (db: Db): ReadonlySet<string> => recorded.get(db) ?? new Set()

export function forgetRecorded(db: Db, ids: Iterable<string> = recordedIds(db)): void {
	for (const id of ids) recorded.get(db)?.delete(id)
}

export async function findEvent(db: Db, id: string) {
	const [row] = await db
		.select()
		.from(outbox)
		.where(and(eq(outbox.id, id), isNull(outbox.doneAt)))
	return row
}

/** Marks an event as done and removes the personal fields of its payload. */
export async function finishEvent(db: Db, id: string, now: number): Promise<void> {
	await db
		.update(outbox)
		.set({
			doneAt: now,
			payload: sql`json_remove(${outbox.payload}, ${sql.join(
				PERSONAL_FIELDS.map((field) => sql`${`$.${field}`}`),
				sql`, `,
			)})`,
		})
		.where(and(eq(outbox.id, id), isNull(outbox.doneAt)))
}

export async function pruneEvents(db: Db, now: number): Promise<void> {
	await db.delete(outbox).where(and(isNotNull(outbox.doneAt), lt(outbox.doneAt, now - KEPT_MS)))
}
