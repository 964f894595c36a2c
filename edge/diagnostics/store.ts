import { count, isNull, min } from 'drizzle-orm'
import { deadLetters, outbox } from '#schema/tables/platform.ts'
import type { Db } from '../platform/database/database.ts'

export const queueStore = (db: Db) => ({
	async readState() {
		const [[dead], [waiting]] = await db.batch([
			db.select({ count: count() }).from(deadLetters),
			db
				.select({ count: count(), oldestAt: min(outbox.createdAt) })
				.from(outbox)
				.where(isNull(outbox.doneAt)),
		])
		return {
			deadLetters: dead?.count ?? 0,
			waiting: waiting?.count ?? 0,
			oldestWaitingAt: waiting?.oldestAt ?? null,
		}
	},
})
