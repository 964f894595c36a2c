import { sql } from 'drizzle-orm'
import { webhookDeliveries, webhookEndpoints } from '#schema/tables/accounts/webhooks.ts'
import { outbox } from '#schema/tables/platform.ts'
import { batch } from '../../../../platform/database/batch.ts'
import type { Db } from '../../../../platform/database/database.ts'

const ORGS_AT_ONCE = 100

export const sequenceStore = (db: Db) => ({
	/** Raises the sequences of all tables with integer ids, but not that of the audit log, whose positions have no gaps. */
	async raiseIds(given: Readonly<Record<string, number>>, margin: number): Promise<number> {
		const json = JSON.stringify(given)
		const highest = sql`max(seq, coalesce((select value from json_each(${json}) where key = name), 0))`
		const missing = sql`
			select key, value from json_each(${json}) where key not in (select name from sqlite_sequence)
		`
		await db.all(sql`insert into sqlite_sequence (name, seq) ${missing} returning name`)
		const raised = await db.all(
			sql`
				update sqlite_sequence
				set seq = ${highest} + cast(${margin} as integer)
				where name <> 'audit_log'
				returning name
			`,
		)
		return raised.length
	},

	async findNewestEvent(): Promise<number> {
		const [row] = await db.all<{ newest: number | null }>(sql`select max(rowid) as newest from outbox`)
		return row?.newest ?? 0
	},

	/**
	 * Raises the sequence of the newest public event of the next organizations, from which the next sequence is derived.
	 * The event keeps its id, which clients know. Its deliveries and the endpoints that planned it are updated, too.
	 */
	async raiseEvents(afterOrgId: string, by: number): Promise<{ changed: number; lastOrgId: string | null }> {
		const next = await db.all<{ id: string }>(
			sql`select id from orgs where id > ${afterOrgId} order by id limit ${ORGS_AT_ONCE}`,
		)
		const orgIds = sql`(select value from json_each(${JSON.stringify(next.map(({ id }) => id))}))`
		const raise = sql`cast(${by} as integer)`
		const newestIds = sql`(
			select (
				select o.id from outbox as o
				where o.org_id = org.value and o.sequence is not null
				order by o.sequence desc limit 1
			)
			from json_each(${JSON.stringify(next.map(({ id }) => id))}) as org
		)`
		const { eventsRaised } = await batch(db, {
			endpointsRaised: db
				.update(webhookEndpoints)
				.set({ plannedSequence: sql`${webhookEndpoints.plannedSequence} + ${raise}` })
				.where(
					sql`
						${webhookEndpoints.orgId} in ${orgIds}
						and ${webhookEndpoints.plannedSequence} >= (
							select max(o.sequence) from outbox as o
							where o.org_id = ${webhookEndpoints.orgId} and o.sequence is not null
						)
					`,
				),
			deliveriesRaised: db
				.update(webhookDeliveries)
				.set({ sequence: sql`${webhookDeliveries.sequence} + ${raise}` })
				.where(sql`${webhookDeliveries.eventId} in ${newestIds}`),
			eventsRaised: db
				.update(outbox)
				.set({ sequence: sql`${outbox.sequence} + ${raise}` })
				.where(sql`${outbox.id} in ${newestIds}`)
				.returning({ id: outbox.id }),
		})
		return { changed: eventsRaised.length, lastOrgId: next.at(-1)?.id ?? null }
	},
})
