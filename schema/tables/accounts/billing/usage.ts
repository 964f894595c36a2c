import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** What a subscribed organization used on a day (UTC), as the difference of two readings of the total of its month. */
export const billingUsage = sqliteTable(
	'billing_usage',
	{
		orgId: text().notNull(),
		metric: text({ enum: ['encode', 'delivery'] }).notNull(),
		/** Such as `2026-11-25`. */
		day: text().notNull(),
		/** The total of the month before and after this day, in milliseconds of video. */
		startMs: integer({ mode: 'number' }).notNull(),
		endMs: integer({ mode: 'number' }).notNull(),
		/** The minutes of this day that were reported last. */
		reportedMinutes: integer().notNull().default(0),
	},
	(t) => [
		uniqueIndex('billing_usage_key').on(t.orgId, t.metric, t.day),
		index('billing_usage_day').on(t.day),
	],
)
