import { and, eq, gte, sql } from 'drizzle-orm'
import { billingUsage } from '#schema/tables/accounts/billing/usage.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import type { UsageMetric } from '../provider.ts'

export type UsageRow = typeof billingUsage.$inferSelect
/** The month's total as read on a day. */
export type Reading = {
	orgId: string
	metric: UsageMetric
	day: string
	totalMs: number
	/** Whether the month of the day is over. */
	isLate: boolean
}

/** Matches the rows of a reading's month up to its day. */
const inSameMonth = ({ orgId, metric, day }: Reading) =>
	sql`
		${billingUsage.orgId} = ${orgId}
		and ${billingUsage.metric} = ${metric}
		and ${billingUsage.day} between ${`${day.slice(0, 7)}-01`} and ${day}
	`

/**
 * Returns the total before the day: that of the previous day in the same month. On the first day of a subscription it
 * is the total itself, so that earlier usage is not charged.
 */
const startOf = ({ orgId, metric, day, totalMs }: Reading) => {
	const earlier = sql`
		select max(before.end_ms) from ${billingUsage} as before
		where before.org_id = ${orgId} and before.metric = ${metric} and before.day < ${day}
	`
	const inMonth = sql`before.day >= ${`${day.slice(0, 7)}-01`}`
	return sql<number>`
		cast(coalesce((${earlier} and ${inMonth}), iif((${earlier}) is null, ${totalMs}, 0)) as integer)
	`
}

export const usageStore = (db: Db) => ({
	/**
	 * Records a reading. A later one of the same day replaces it, but never lowers it. Ignores a late reading of a
	 * month without others, before the organization subscribed.
	 */
	recordStatement(reading: Reading) {
		const { orgId, metric, day, totalMs } = reading
		return insertSelect(
			db,
			billingUsage,
			{ orgId, metric, day, startMs: startOf(reading), endMs: sql<number>`cast(${totalMs} as integer)` },
			reading.isLate
				? sql`where exists (select 1 from ${billingUsage} where ${inSameMonth(reading)})`
				: sql`where true`,
		).onConflictDoUpdate({
			target: [billingUsage.orgId, billingUsage.metric, billingUsage.day],
			set: { endMs: sql`max(${billingUsage.endMs}, excluded.end_ms)` },
		})
	},

	list(orgId: string, fromDay: string): Promise<UsageRow[]> {
		return db
			.select()
			.from(billingUsage)
			.where(and(eq(billingUsage.orgId, orgId), gte(billingUsage.day, fromDay)))
	},

	async markReported({ orgId, metric, day }: UsageRow, minutes: number): Promise<void> {
		await db
			.update(billingUsage)
			.set({ reportedMinutes: sql`cast(${minutes} as integer)` })
			.where(and(eq(billingUsage.orgId, orgId), eq(billingUsage.metric, metric), eq(billingUsage.day, day)))
	},
})
