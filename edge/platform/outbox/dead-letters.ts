import { lt } from 'drizzle-orm'
import { deadLetters } from '#schema/tables/platform.ts'
import { DAY } from '../clock.ts'
import type { Db } from '../database/database.ts'

const KEPT_MS = 90 * DAY

type DeadLetter = Omit<typeof deadLetters.$inferInsert, 'id'> & { messageId: string }

/** Derives the key from the queue's message id, because a dead letter may be delivered twice. */
export async function keepDeadLetter(db: Db, { messageId, ...letter }: DeadLetter): Promise<void> {
	await db
		.insert(deadLetters)
		.values({ id: `dlt_${messageId}`, ...letter })
		.onConflictDoNothing()
}

export async function pruneDeadLetters(db: Db, now: number): Promise<void> {
	await db.delete(deadLetters).where(lt(deadLetters.createdAt, now - KEPT_MS))
}
