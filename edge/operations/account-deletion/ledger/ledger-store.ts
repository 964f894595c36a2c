import { and, eq, inArray, lte, sql } from 'drizzle-orm'
import { users } from '#schema/tables/accounts/identity.ts'
import { erasureLedger } from '#schema/tables/operations/account-deletion.ts'
import { backups } from '#schema/tables/operations/backups.ts'
import { auditStatement } from '../../../platform/audit/audit.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'

export type Erasure = typeof erasureLedger.$inferSelect

export const recordErasureStatement = (db: Db, erasure: Erasure) =>
	db.insert(erasureLedger).values(erasure).onConflictDoNothing()

export const ledgerStore = (db: Db) => ({
	async find(id: string): Promise<Erasure | undefined> {
		const [row] = await db.select().from(erasureLedger).where(eq(erasureLedger.id, id))
		return row
	},

	/** Adds ledger entries that a restored database lacks. */
	async restore(work: UnitOfWork, erasures: readonly Erasure[]): Promise<void> {
		const restored = insertSelect(
			db,
			erasureLedger,
			{
				id: sql`value ->> 'id'`,
				userId: sql`value ->> 'userId'`,
				deleteContent: sql`value ->> 'deleteContent'`,
				completedAt: sql`value ->> 'completedAt'`,
				purgeAfter: sql`value ->> 'purgeAfter'`,
			},
			sql`from json_each(${JSON.stringify(erasures)}) where true`,
		).onConflictDoNothing()
		await batch(db, {
			restored,
			entryWritten: auditStatement(work, {
				action: 'erasures.replayed',
				orgId: null,
				details: { read: erasures.length },
			}),
		})
	},

	/**
	 * Returns the erased users who are in the database again. An account younger than the erasure belongs to somebody
	 * else, because a restored database assigns ids again.
	 */
	async findReturned(erasures: readonly Erasure[]): Promise<{ userId: number; erasureId: string }[]> {
		const entry = sql`json_each(${JSON.stringify(erasures)}) as entry`
		return db.all<{ userId: number; erasureId: string }>(
			sql`
				select ${users.id} as "userId", min(entry.value ->> 'id') as "erasureId" from ${entry}
				join ${users} on ${users.id} = entry.value ->> 'userId'
				where ${users.createdAt} <= entry.value ->> 'completedAt'
				group by ${users.id}
			`,
		)
	},

	/**
	 * Lists entries that are past their retention, under both the setting at that time and the current one, and older than every
	 * backup.
	 */
	async listPurgeable(now: number, ledgerMs: number, limit: number): Promise<string[]> {
		const rows = await db
			.select({ id: erasureLedger.id })
			.from(erasureLedger)
			.where(
				and(
					lte(erasureLedger.purgeAfter, now),
					lte(erasureLedger.completedAt, now - ledgerMs),
					sql`not exists (
						select 1 from ${backups}
						where ${backups.state} = 'completed' and ${backups.startedAt} <= ${erasureLedger.completedAt}
					)`,
				),
			)
			.orderBy(erasureLedger.purgeAfter)
			.limit(limit)
		return rows.map(({ id }) => id)
	},

	async delete(ids: readonly string[]): Promise<void> {
		const known = sql`(select value from json_each(${JSON.stringify(ids)}))`
		await db.delete(erasureLedger).where(inArray(erasureLedger.id, known))
	},
})
