import { sql } from 'drizzle-orm'
import { urgencies } from '#schema/contract/kit/event.ts'
import { outbox } from '#schema/tables/platform.ts'
import { SECOND } from '../clock.ts'
import type { Db } from '../database/database.ts'
import type { Log } from '../log.ts'
import { BATCH_SIZE, claimAndQueue, type Relay } from './relay.ts'

type Sweep = Relay & { now: number; log: Log }
type Waiting = { urgency: number; tenant: string }
type Limits = { endsAt: number; batches: number }

/** Kept short, because the other tasks of the minute start after the sweep. */
const SWEEP_MS = 20 * SECOND
/** Each batch takes one statement and one queue call; one Worker invocation may make 1,000 of each. */
const SWEEP_BATCHES = 300
const MAX_TENANTS = 10_000

/**
 * Queues events that were not relayed or whose message was lost. The most urgent come first, but leave half of the
 * time for the rest. Remaining events stay due for the next sweep.
 */
export async function sweepEvents(sweep: Sweep): Promise<void> {
	const { db, now, clock, log } = sweep
	const endsAt = clock() + SWEEP_MS
	let batches = SWEEP_BATCHES
	for (;;) {
		const waiting = await findWaiting(db, now)
		if (waiting.length === 0) return
		const byUrgency = Map.groupBy(waiting, ({ urgency }) => urgency)
		let lessUrgent = byUrgency.size
		for (const [urgency, rows] of byUrgency) {
			lessUrgent--
			const part = lessUrgent > 0 ? 0.5 : 1
			const limits = {
				endsAt: clock() + (endsAt - clock()) * part,
				batches: Math.ceil(batches * part),
			}
			const tenants = rows.map(({ tenant }) => tenant)
			batches -= await sweepUrgency(sweep, urgency, tenants, limits)
		}
		if (batches <= 0 || clock() >= endsAt) return log.warn('event sweep stopped at its limit')
	}
}

/**
 * Shares every batch equally among tenants, so that none waits for another's backlog. Returns the number of batches
 * used.
 */
async function sweepUrgency(sweep: Sweep, urgency: number, tenants: string[], limits: Limits) {
	let waiting = tenants
	let batches = 0
	while (waiting.length > 0 && batches < limits.batches && sweep.clock() < limits.endsAt) {
		const turn = waiting.slice(0, BATCH_SIZE)
		const share = Math.floor(BATCH_SIZE / turn.length)
		const claimed = await claimAndQueue(sweep, isShareOf(turn, urgency, share, sweep.now))
		batches++
		const counts = Map.groupBy(claimed, ({ tenant }) => tenant)
		const unfinished = turn.filter((tenant) => counts.get(tenant)?.length === share)
		waiting = [...waiting.slice(BATCH_SIZE), ...unfinished]
	}
	return batches
}

/** Selects the oldest due events of each tenant. */
const isShareOf = (tenants: readonly string[], urgency: number, share: number, now: number) =>
	sql`${outbox.id} in (
		select due.id from json_each(${JSON.stringify(tenants)}) turn
		cross join outbox due on due.id in (
			select own.id from outbox own
			where own.urgency = ${urgency}
				and own.tenant = turn.value
				and own.done_at is null
				and own.due_at <= ${now}
			order by own.due_at limit ${share}
		)
	)`

/**
 * Returns the tenants with due events, most urgent first, then longest waiting. Skips through the index from tenant
 * to tenant, so the cost depends on tenants, not events.
 */
const findWaiting = (db: Db, now: number): Promise<Waiting[]> =>
	db.all<Waiting>(sql`
		with recursive walk(urgency, tenant) as (
			select each.value,
				(
					select o.tenant from outbox o
					where o.urgency = each.value and o.done_at is null
					order by o.tenant limit 1
				)
			from json_each(${JSON.stringify(urgencies.map((_, i) => i))}) each
			union all
			select walk.urgency,
				(
					select o.tenant from outbox o
					where o.urgency = walk.urgency and o.done_at is null and o.tenant > walk.tenant
					order by o.tenant limit 1
				)
			from walk
			where walk.tenant is not null limit ${MAX_TENANTS}
		),
			oldest as materialized (
				select walk.urgency, walk.tenant,
					(
						select o.due_at from outbox o
						where o.urgency = walk.urgency and o.tenant = walk.tenant and o.done_at is null
						order by o.due_at limit 1
					) as due_at
				from walk
				where walk.tenant is not null
			)
		select urgency, tenant from oldest
		where due_at <= ${now}
		order by urgency, due_at
	`)
