import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Message } from '#schema/contract/messages.ts'
import { MINUTE } from '../clock.ts'
import type { Db } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import type { Log, LogFields } from '../log.ts'
import { BATCH_SIZE } from '../outbox/relay.ts'
import { claimDue, type DueRows, listDue } from './due-rows.ts'

/** Longer than the queue retries a message. */
export const MESSAGE_LEASE_MS = 30 * MINUTE

/** Rows whose work a message starts, and the messages of those that are due. */
export type Sweep = DueRows & { nextMessages(db: Db, now: number): Promise<Message[]> }

/**
 * Describes a sweep that leases the rows. When a lease ends, the message is taken for lost, and another one is sent. Without
 * a lease, the consumer claims the row.
 */
export const sweepRows = <Fields extends Record<string, AnySQLiteColumn>>(
	{ leaseMs = MESSAGE_LEASE_MS, ...rows }: DueRows & { leaseMs?: number | null },
	fields: Fields,
	toMessage: (row: SelectResultFields<Fields>) => Message,
): Sweep => ({
	...rows,
	async nextMessages(db, now) {
		const limits = { now, limit: BATCH_SIZE }
		const due = await (leaseMs === null
			? listDue(db, rows, fields, limits)
			: claimDue(db, rows, fields, { ...limits, leaseMs }))
		return (due as SelectResultFields<Fields>[]).map(toMessage)
	},
})

/** Queues what is due. Returns whether more may be. */
export async function queueDue(
	{ db, now, sendBatch }: Pick<Deps, 'db' | 'now' | 'sendBatch'>,
	{ nextMessages }: Sweep,
): Promise<boolean> {
	const messages = await nextMessages(db, now)
	await sendBatch(messages)
	return messages.length === BATCH_SIZE
}

/** The part of a schedule that queues what is due. */
export const sweepByQueue = (due: readonly Sweep[]) => ({
	due,
	async run(deps: Deps): Promise<void> {
		for (const sweep of due) await queueDue(deps, sweep)
	},
})

/** Logs an error, so that one row can't stop the others. The row is due again when its lease ends. */
export const runOrLog = (log: Log, message: string, fields: LogFields, work: () => Promise<unknown>) =>
	work().catch((error) => log.error(message, error, fields))
