import { and, asc, eq, gt, gte, inArray, isNotNull, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { PublicEventType } from '#schema/contract/platform/webhooks/public-events.ts'
import { outbox } from '#schema/tables/platform.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'

type OutboxRow = typeof outbox.$inferSelect
/** A public event of an organization, as recorded in the outbox. */
export type PublicEventRow = Pick<OutboxRow, 'id' | 'payload' | 'createdAt'> & {
	sequence: number
	publicType: PublicEventType
}

const columns = {
	id: outbox.id,
	payload: outbox.payload,
	createdAt: outbox.createdAt,
	sequence: sql<number>`${outbox.sequence}`.as('sequence'),
	publicType: sql<PublicEventType>`${outbox.publicType}`.as('public_type'),
}

/** The sequence of the newest event of an organization; 0 if it has none. */
export const newestSequence = (orgId: string | AnySQLiteColumn) =>
	sql<number>`(select coalesce(max(newest.sequence), 0) from outbox as newest where newest.org_id = ${orgId} and newest.sequence is not null)`

export const eventStore = (db: Db) => ({
	async find(orgId: string, id: string): Promise<PublicEventRow | undefined> {
		const [row] = await db
			.select(columns)
			.from(outbox)
			.where(and(eq(outbox.id, id), eq(outbox.orgId, orgId), isNotNull(outbox.sequence)))
		return row
	},

	/** Reads the events after a sequence, oldest first, and the sequence of the newest event at that time. */
	async listAfter(
		orgId: string,
		{ after, types, limit }: { after: number; types: readonly PublicEventType[] | null; limit: number },
		keptSince: number,
	): Promise<{ events: PublicEventRow[]; newest: number }> {
		const { events, newest } = await batch(db, {
			events: db
				.select(columns)
				.from(outbox)
				.where(
					and(
						eq(outbox.orgId, orgId),
						gt(outbox.sequence, after),
						types ? inArray(outbox.publicType, [...types]) : undefined,
						gte(outbox.createdAt, keptSince),
					),
				)
				.orderBy(asc(outbox.sequence))
				.limit(limit),
			newest: db.select({ sequence: newestSequence(orgId) }).from(sql`(select 1) as one`),
		})
		return { events, newest: newest[0]?.sequence ?? 0 }
	},
})
