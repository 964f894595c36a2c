import { eq, type SQL, sql } from 'drizzle-orm'
import { billingAccounts, billingClosures } from '#schema/tables/accounts/billing/accounts.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { claimDue } from '../../../platform/work/due-rows.ts'

/** Returns the statement that records the customers of accounts that are about to be deleted. */
export const closeCustomersStatement = (db: Db, whichAccounts: SQL, now: number) =>
	insertSelect(
		db,
		billingClosures,
		{ customerId: sql`${billingAccounts.customerId}`, createdAt: now, dueAt: now },
		sql`from ${billingAccounts} where ${billingAccounts.customerId} is not null and ${whichAccounts}`,
	).onConflictDoNothing()

export const closeStore = (db: Db) => ({
	/** Claims due customers. An unfinished one is due again after the lease. */
	claimDue(now: number, leaseMs: number, limit: number) {
		const { customerId, dueAt } = billingClosures
		return claimDue(db, { at: dueAt }, { customerId }, { now, leaseMs, limit })
	},

	async finish(customerId: string): Promise<void> {
		await db.delete(billingClosures).where(eq(billingClosures.customerId, customerId))
	},
})
