import { and, asc, desc, eq, isNull, lte, sql } from 'drizzle-orm'
import { deadLetters } from '#schema/tables/platform.ts'
import { runAudited } from '../../../platform/audit/audit.ts'
import type { Db } from '../../../platform/database/database.ts'
import { comesBefore, type Position } from '../../../platform/database/keyset.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'

export type DeadLetterRow = typeof deadLetters.$inferSelect

const entry = (change: 'retried' | 'discarded', id: string) => ({
	action: `dead_letter.${change}` as const,
	orgId: null,
	target: { kind: 'dead_letter' as const, id },
})

export const deadLetterStore = (db: Db) => ({
	/** Lists dead letters, newest first. */
	list(limit: number, position: Position | null): Promise<DeadLetterRow[]> {
		return db
			.select()
			.from(deadLetters)
			.where(comesBefore(deadLetters.createdAt, deadLetters.id, position))
			.orderBy(desc(deadLetters.createdAt), desc(deadLetters.id))
			.limit(limit + 1)
	},

	async find(id: string): Promise<DeadLetterRow | undefined> {
		const [row] = await db.select().from(deadLetters).where(eq(deadLetters.id, id))
		return row
	},

	/** Requests a retry. Each dead letter has one; returns undefined if it was already requested. */
	async requestRetry(work: UnitOfWork, id: string): Promise<DeadLetterRow | undefined> {
		const [row] = await runAudited(
			work,
			db
				.update(deadLetters)
				.set({ retryAt: work.now })
				.where(and(eq(deadLetters.id, id), isNull(deadLetters.retryAt)))
				.returning(),
			entry('retried', id),
		)
		return row
	},

	async markRetried(id: string, now: number): Promise<void> {
		await db
			.update(deadLetters)
			.set({ retriedAt: now })
			.where(and(eq(deadLetters.id, id), isNull(deadLetters.retriedAt)))
	},

	/** Lists requested retries that were not sent because the request ended early. */
	listUnsent(requestedBefore: number, limit: number): Promise<DeadLetterRow[]> {
		return db
			.select()
			.from(deadLetters)
			.where(
				and(
					sql`${deadLetters.retryAt} is not null and ${deadLetters.retriedAt} is null`,
					lte(deadLetters.retryAt, requestedBefore),
				),
			)
			.orderBy(asc(deadLetters.retryAt))
			.limit(limit)
	},

	async discard(work: UnitOfWork, id: string): Promise<boolean> {
		const rows = await runAudited(
			work,
			db.delete(deadLetters).where(eq(deadLetters.id, id)).returning({ id: deadLetters.id }),
			entry('discarded', id),
		)
		return rows.length === 1
	},
})
