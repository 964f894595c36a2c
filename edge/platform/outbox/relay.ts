import { isNull, type SQL, sql } from 'drizzle-orm'
import { urgencies } from '#schema/contract/platform/events.ts'
import type { Message } from '#schema/contract/platform/messages.ts'
import { outbox } from '#schema/tables/platform.ts'
import { type Clock, DAY, MINUTE } from '../clock.ts'
import type { Db } from '../database/database.ts'
import { FIRST_SWEEP_MS, forgetRecorded, recordedIds } from './outbox.ts'

/** What the relay needs of `Deps`. */
export type Relay = { db: Db; clock: Clock; sendBatch(messages: readonly Message[]): Promise<void> }
type Claimed = { id: string; urgency: number; tenant: string }

/** The most that one call to the queue takes. An event's message is far from its limit of bytes. */
export const BATCH_SIZE = 100
const HANDOVER_LEASE_MS = 2 * MINUTE
/** What may wait also waits longer in the queue before its handover counts as lost. */
const REST_LEASES = 5

/** Relays what was recorded so far, after the answer: deferred work does behind itself. Free if nothing was recorded. */
export function relayRecorded({ db, defer }: { db: Db; defer(work: Promise<unknown>): void }): void {
	if (recordedIds(db).size > 0) defer(Promise.resolve())
}

const running = new WeakMap<Db, Promise<unknown>>()

/**
 * Hands the events that a request recorded to the queue, in one statement and one call for each hundred. One relay
 * after the other: what the first has claimed costs the next nothing, and what another part of the request had not
 * written yet when the first looked is still there for the relay behind that part.
 */
export async function relayEvents(relay: Relay): Promise<void> {
	const run = (running.get(relay.db) ?? Promise.resolve()).then(() => relayOnce(relay))
	running.set(
		relay.db,
		run.catch(() => undefined),
	)
	await run
}

async function relayOnce(relay: Relay): Promise<void> {
	const ids = [...recordedIds(relay.db)]
	for (let at = 0; at < ids.length; at += BATCH_SIZE) {
		const own = sql`select value from json_each(${JSON.stringify(ids.slice(at, at + BATCH_SIZE))})`
		// The sweep may have been faster, and what was put off for longer stays put off.
		const isFresh = sql`${outbox.handovers} = 0 and ${outbox.dueAt} <= ${relay.clock() + FIRST_SWEEP_MS}`
		const claimed = await handOver(relay, sql`${outbox.id} in (${own}) and ${isFresh}`)
		forgetRecorded(
			relay.db,
			claimed.map(({ id }) => id),
		)
	}
}

/**
 * Claims the undone events of a condition and sends them. Whoever dies between the two leaves them claimed: an event
 * that is not done when its lease ends is due again, and consumers take an event that comes twice.
 */
export async function handOver(relay: Relay, which: SQL): Promise<Claimed[]> {
	const { db, clock, sendBatch } = relay
	const lease = sql`${HANDOVER_LEASE_MS} * iif(${outbox.urgency} = ${urgencies.indexOf('rest')}, ${REST_LEASES}, 1)`
	const claimed = await db
		.update(outbox)
		.set({
			// Twice as long each time, up to a day: an event that nobody can follow must not fill the queue.
			dueAt: sql`${clock()} + min(${lease} * (1 << min(${outbox.handovers}, 10)), ${DAY})`,
			handovers: sql`${outbox.handovers} + 1`,
		})
		.where(sql`${isNull(outbox.doneAt)} and ${which}`)
		.returning({ id: outbox.id, urgency: outbox.urgency, tenant: outbox.tenant })
	if (claimed.length === 0) return claimed
	try {
		const inOrder = claimed.toSorted((a, b) => a.urgency - b.urgency)
		await sendBatch(inOrder.map(messageOf))
	} catch (error) {
		await giveBack(relay, claimed)
		throw error
	}
	return claimed
}

const messageOf = ({ id, urgency }: Claimed): Message => ({
	type: 'event.happened',
	id,
	urgency: urgencies[urgency] ?? 'rest',
})

/** As if nobody had claimed them, so that a queue that fails for an hour does not make them wait for a day. */
async function giveBack({ db, clock }: Relay, claimed: readonly Claimed[]): Promise<void> {
	const ids = JSON.stringify(claimed.map(({ id }) => id))
	await db
		.update(outbox)
		.set({ dueAt: clock() + FIRST_SWEEP_MS, handovers: sql`${outbox.handovers} - 1` })
		.where(
			sql`${isNull(outbox.doneAt)} and ${outbox.handovers} > 0 and ${outbox.id} in (select value from json_each(${ids}))`,
		)
}
