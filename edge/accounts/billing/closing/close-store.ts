import { eq, type SQL, sql } from 'drizzle-orm'
import { billingAccounts, billingClosures } from '#schema/tables/accounts/billing/accounts.ts'
import type { Db } from '../../../platform/database/database.ts'
import { isAmongDue } from '../../../platform/database/due-rows.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'

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
		const key = { id: billingClosures.customerId, dueAt: billingClosures.dueAt }
		return db
			.update(billingClosures)
			.set({ dueAt: again })
			.where(isAmongDue(db, key, now, limit))
			.returning({ customerId: billingClosures.customerId })
	},

	async finish(customerId: string): Promise<void> {
		await db.delete(billingClosures).where(eq(billingClosures.customerId, customerId))
	},
})
