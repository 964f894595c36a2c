import { and, asc, eq, inArray, isNotNull, isNull, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { DomainEvent } from '#schema/contract/events.ts'
import { outbox } from '#schema/tables/platform.ts'
import { DAY, MINUTE } from './clock.ts'
import type { Db } from './database.ts'
import type { Deps } from './deps.ts'
import { newId } from './ids.ts'

/** The relay's first chance comes right after the answer; the sweep looks only for what it left behind. */
const FIRST_SWEEP_MS = 15_000
const HANDOVER_LEASE_MS = 2 * MINUTE
const KEPT_MS = 30 * DAY
const SWEEP_ROWS = 100

/** An event before it is written: what its payload holds may be made by an earlier statement of the same batch. */
type Draft<E extends DomainEvent = DomainEvent> = E extends DomainEvent
	? Omit<E, 'payload' | 'orgId'> & {
			orgId: E['orgId'] | SQL
			payload: { [K in keyof E['payload']]: E['payload'][K] | SQL }
		}
	: never

/** The statement that records an event. It goes into the batch of the change it tells of, right behind it. */
export function recordEvent(db: Db, now: number, event: Draft) {
	return db.insert(outbox).select(sql`select ${eventRow(now, event)}`)
}

/** As `recordEvent`, but only if the statement before it in the same batch changed something. */
export const recordEventIfChanged = (db: Db, now: number, event: Draft) =>
	recordEventIf(db, now, event, sql`changes() > 0`)

export function recordEventIf(db: Db, now: number, event: Draft, condition: SQL) {
	return db.insert(outbox).select(sql`select ${eventRow(now, event)} where ${condition}`)
}

/** The columns of schema/tables/platform.ts, in their order. */
function eventRow(now: number, { type, orgId, payload }: Draft): SQL {
	const pairs = Object.entries(payload).map(([name, value]) => sql`${name}, ${value}`)
	const json = sql`json_object(${sql.join(pairs, sql`, `)})`
	return sql`${newId('evt', now)}, ${type}, ${orgId}, ${json}, ${now}, ${now + FIRST_SWEEP_MS}, 0, null`
}

/**
 * Hands undone events to the queue. The queue may lose its consumer, the relay may die between the two steps: an
 * event that is not done when its lease ends is handed over again, and consumers bear it.
 */
export async function relayEvents(deps: Pick<Deps, 'db' | 'now' | 'send'>, only?: 'due'): Promise<number> {
	const { db, now } = deps
	const horizon = only === 'due' ? now : now + FIRST_SWEEP_MS
	const due = db
		.select({ id: outbox.id })
		.from(outbox)
		.where(and(isNull(outbox.doneAt), lte(outbox.dueAt, horizon)))
		.orderBy(asc(outbox.dueAt))
		.limit(SWEEP_ROWS)
	const taken = await db
		.update(outbox)
		.set({
			// Twice as long each time, up to a day: an event that nobody can follow must not fill the queue.
			dueAt: sql`${now} + min(${HANDOVER_LEASE_MS} * (1 << min(${outbox.handovers}, 10)), ${DAY})`,
			handovers: sql`${outbox.handovers} + 1`,
		})
		.where(inArray(outbox.id, due))
		.returning({ id: outbox.id })
	for (const { id } of taken) await deps.send({ type: 'event.happened', id })
	return taken.length
}

export async function findEvent(db: Db, id: string) {
	const [row] = await db
		.select()
		.from(outbox)
		.where(and(eq(outbox.id, id), isNull(outbox.doneAt)))
	return row
}

/** What people wrote and where they are is not kept with it: its row is found by nobody whose account is deleted. */
export async function finishEvent(db: Db, id: string, now: number): Promise<void> {
	await db
		.update(outbox)
		.set({
			doneAt: now,
			payload: sql`json_remove(${outbox.payload}, '$.title', '$.errorMessage', '$.ip', '$.userAgent', '$.formerEmail')`,
		})
		.where(and(eq(outbox.id, id), isNull(outbox.doneAt)))
}

export async function forgetEvents(db: Db, now: number): Promise<void> {
	await db.delete(outbox).where(and(isNotNull(outbox.doneAt), lt(outbox.doneAt, now - KEPT_MS)))
}
