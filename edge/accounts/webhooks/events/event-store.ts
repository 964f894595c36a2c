import { and, asc, eq, gt, gte, inArray, isNotNull, lte, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { PublicEventType } from '#schema/contract/public-events.ts'
import { outbox } from '#schema/tables/platform.ts'
import type { Db } from '../../../platform/database/database.ts'
import { EVENTS_KEPT_MS } from '../../../platform/outbox/outbox.ts'

type OutboxRow = typeof outbox.$inferSelect
/** A public event of an organization, as recorded in the outbox. */
export type PublicEventRow = Pick<OutboxRow, 'id' | 'payload' | 'createdAt'> & {
	sequence: number
	type: PublicEventType
}

export type EventRange = {
	after: number
	upTo: number
	types: readonly PublicEventType[] | undefined
	limit: number
}

const columns = {
	id: outbox.id,
	payload: outbox.payload,
	createdAt: outbox.createdAt,
	sequence: sql<number>`${outbox.sequence}`.as('sequence'),
	type: sql<PublicEventType>`${outbox.type}`.as('type'),
}

/** The newest event of an organization is kept longer, without its texts. */
const isKept = (now: number) => gte(outbox.createdAt, now - EVENTS_KEPT_MS)

/** The sequence of the newest event of an organization; 0 if it has none. */
export const selectNewestSequence = (orgId: string | AnySQLiteColumn) =>
	sql<number>`(
		select coalesce(max(newest.sequence), 0) from outbox as newest
		where newest.org_id = ${orgId} and newest.sequence is not null
	)`

export const eventStore = (db: Db) => ({
	async find(orgId: string, id: string, now: number): Promise<PublicEventRow | undefined> {
		const [row] = await db
			.select(columns)
			.from(outbox)
			.where(and(eq(outbox.id, id), eq(outbox.orgId, orgId), isNotNull(outbox.sequence), isKept(now)))
		return row
	},

	/** Lists events after a sequence, oldest first, up to another one. */
	list(orgId: string, { after, upTo, types, limit }: EventRange, now: number): Promise<PublicEventRow[]> {
		return db
			.select(columns)
			.from(outbox)
			.where(
				and(
					eq(outbox.orgId, orgId),
					gt(outbox.sequence, after),
					lte(outbox.sequence, upTo),
					types ? inArray(outbox.type, [...types]) : undefined,
					isKept(now),
				),
			)
			.orderBy(asc(outbox.sequence))
			.limit(limit)
	},

	async findNewestSequence(orgId: string): Promise<number> {
		const [row] = await db.select({ sequence: selectNewestSequence(orgId) }).from(sql`(select 1) as one`)
		return row?.sequence ?? 0
	},
})
