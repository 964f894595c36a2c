import { asc, eq, inArray, lte, type SQL, sql } from 'drizzle-orm'
import { billingAccounts, billingClosures } from '#schema/tables/billing/accounts.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'

/** Returns the statement that notes the customers of accounts which are about to be deleted. */
export const closeCustomersStatement = (db: Db, whichAccounts: SQL, now: number) =>
	insertSelect(
		db,
		billingClosures,
		{ customerId: sql`${billingAccounts.customerId}`, createdAt: now, dueAt: now },
		sql`from ${billingAccounts} where ${billingAccounts.customerId} is not null and ${whichAccounts}`,
	).onConflictDoNothing()

export const closeStore = (db: Db) => ({
	/** Claims customers that are due. One that is not finished by then is due again. */
	claimDue(now: number, again: number, limit: number) {
		const due = db
			.select({ customerId: billingClosures.customerId })
			.from(billingClosures)
			.where(lte(billingClosures.dueAt, now))
			.orderBy(asc(billingClosures.dueAt))
			.limit(limit)
		return db
			.update(billingClosures)
			.set({ dueAt: again })
			.where(inArray(billingClosures.customerId, due))
			.returning({ customerId: billingClosures.customerId })
	},

	async finish(customerId: string): Promise<void> {
		await db.delete(billingClosures).where(eq(billingClosures.customerId, customerId))
	},
})
