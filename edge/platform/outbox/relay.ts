import { isNull, type SQL, sql } from 'drizzle-orm'
import { urgencies } from '#schema/contract/kit/event.ts'
import type { Message } from '#schema/contract/messages.ts'
import { outbox } from '#schema/tables/platform.ts'
import { type Clock, DAY, MINUTE } from '../clock.ts'
import type { Db } from '../database/database.ts'
import type { UnitOfWork } from '../unit-of-work.ts'
import { backoffSql } from '../work/backoff.ts'
import { FIRST_SWEEP_MS } from './outbox.ts'

/** The part of `Deps` that the relay needs. */
export type Relay = { db: Db; clock: Clock; sendBatch(messages: readonly Message[]): Promise<void> }
type Claimed = { id: string; urgency: number; tenant: string }

/** The queue takes at most this many messages per call. Messages of events stay far below its byte limit. */
export const BATCH_SIZE = 100
const HANDOVER_LEASE_MS = 2 * MINUTE
/** Events of the lowest urgency wait longer in the queue, so their lease is longer by this factor. */
const REST_LEASES = 5

/** Relays recorded events after the response, since `defer` relays after its work. */
export function relayRecorded({
	work,
	defer,
}: {
	work: UnitOfWork
	defer(after: Promise<unknown>): void
}): void {
	if (work.eventIds.size > 0 || work.publicEventIds.size > 0) defer(Promise.resolve())
}

/**
 * Queues a request's recorded events, with one statement and one call per hundred. Events that parallel work commits
 * too late are left for its own relay.
 */
export async function relayEvents(relay: Relay & { work: UnitOfWork }): Promise<void> {
	const { work } = relay
	const run = work.relay.then(() => relayOnce(relay, work.eventIds))
	work.relay = run.catch(() => undefined)
	await run
}

async function relayOnce(relay: Relay, eventIds: Set<string>): Promise<void> {
	const ids = [...eventIds]
	for (let at = 0; at < ids.length; at += BATCH_SIZE) {
		const own = sql`select value from json_each(${JSON.stringify(ids.slice(at, at + BATCH_SIZE))})`
		// Skips events that the sweep has claimed and events that are due later.
		const isFresh = sql`${outbox.handovers} = 0 and ${outbox.dueAt} <= ${relay.clock() + FIRST_SWEEP_MS}`
		for (const { id } of await claimAndQueue(relay, sql`${outbox.id} in (${own}) and ${isFresh}`))
			eventIds.delete(id)
	}
}

/**
 * Claims the matching unfinished events and queues them. After a crash in between, they are due again when their
 * lease ends. Consumers are idempotent.
 */
export async function claimAndQueue(relay: Relay, which: SQL): Promise<Claimed[]> {
	const { db, clock, sendBatch } = relay
	const firstMs = sql`
		${HANDOVER_LEASE_MS} * iif(${outbox.urgency} = ${urgencies.indexOf('rest')}, ${REST_LEASES}, 1)
	`
	const claimed = await db
		.update(outbox)
		.set({
			// Doubles up to a day, so that an event whose followers always fail does not fill the queue.
			dueAt: sql`${clock()} + ${backoffSql({ firstMs, maxMs: DAY }, sql`${outbox.handovers}`)}`,
			handovers: sql`${outbox.handovers} + 1`,
		})
		.where(sql`${isNull(outbox.doneAt)} and ${which}`)
		.returning({ id: outbox.id, urgency: outbox.urgency, tenant: outbox.tenant })
	if (claimed.length === 0) return claimed
	try {
		const inOrder = claimed.toSorted((a, b) => a.urgency - b.urgency)
		await sendBatch(inOrder.map(messageOf))
	} catch (error) {
		await releaseClaims(relay, claimed)
		throw error
	}
	return claimed
}

const messageOf = ({ id, urgency }: Claimed): Message => ({
	type: 'event.happened',
	id,
	urgency: urgencies[urgency] ?? 'rest',
})

/** Undoes the claims, so that a queue that fails for an hour does not delay events for a day. */
async function releaseClaims({ db, clock }: Relay, claimed: readonly Claimed[]): Promise<void> {
	const ids = JSON.stringify(claimed.map(({ id }) => id))
	await db
		.update(outbox)
		.set({ dueAt: clock() + FIRST_SWEEP_MS, handovers: sql`${outbox.handovers} - 1` })
		.where(
			sql`
				${isNull(outbox.doneAt)}
				and ${outbox.handovers} > 0
				and ${outbox.id} in (select value from json_each(${ids}))
			`,
		)
}
