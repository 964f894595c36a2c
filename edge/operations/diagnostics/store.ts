import { count, isNull, min, sql } from 'drizzle-orm'
import { deadLetters, outbox } from '#schema/tables/platform.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'

export const diagnosticsStore = (db: Db) => ({
	async ping(): Promise<void> {
		await db.get(sql`select 1`)
	},

	async readQueue() {
		const {
			deadLetters: [dead],
			waitingEvents: [waiting],
		} = await batch(db, {
			deadLetters: db.select({ count: count() }).from(deadLetters),
			waitingEvents: db
				.select({ count: count(), oldestAt: min(outbox.createdAt) })
				.from(outbox)
				.where(isNull(outbox.doneAt)),
		})
		return {
			deadLetters: dead?.count ?? 0,
			waiting: waiting?.count ?? 0,
			oldestWaitingAt: waiting?.oldestAt ?? null,
		}
	},
})
