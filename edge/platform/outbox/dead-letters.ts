import { lt } from 'drizzle-orm'
import { deadLetters } from '#schema/tables/platform.ts'
import { DAY } from '../clock.ts'
import type { Db } from '../database/database.ts'

const KEPT_MS = 90 * DAY

type DeadLetter = Omit<typeof deadLetters.$inferInsert, 'id'> & { messageId: string }

/** Message fields without personal data or secrets. */
export const keptFields: readonly string[] = [
	...['type', 'id', 'urgency', 'at', 'requestId', 'kind', 'bucket', 'prefix', 'communityId', 'jobId', 'of'],
	...['endpointId', 'isFailing', 'callId', 'deliveryId', 'taskId', 'purpose', 'expiresAt'],
	...['orgId', 'assetId', 'language', 'backupId', 'attempt'],
]
const LONGEST_VALUE = 500

/**
 * Returns the storable part of a message. Omits codes, mail texts and addresses, which are useless after days and out
 * of reach of account deletion.
 */
export const redactBody = (body: unknown): Record<string, unknown> =>
	Object.fromEntries(
		Object.entries((body ?? {}) as Record<string, unknown>).filter(
			([name, value]) =>
				keptFields.includes(name) && typeof value !== 'object' && String(value).length <= LONGEST_VALUE,
		),
	)

/** Inserts a dead letter under the queue's message id, because it may be delivered twice. */
export async function insertDeadLetter(db: Db, { messageId, ...letter }: DeadLetter): Promise<void> {
	await db
		.insert(deadLetters)
		.values({ id: `dlt_${messageId}`, ...letter })
		.onConflictDoNothing()
}

export async function pruneDeadLetters(db: Db, now: number): Promise<void> {
	await db.delete(deadLetters).where(lt(deadLetters.createdAt, now - KEPT_MS))
}
