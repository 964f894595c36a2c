import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { instant } from '../../columns.ts'

/** The one trial of a person, for one of the organizations that they have created. */
export const billingTrials = sqliteTable('billing_trials', {
	userId: integer().primaryKey(),
	orgId: text().notNull(),
	/** When a checkout last offered the trial to the organization. */
	offeredAt: instant().notNull(),
	/** When a subscription of the person was first seen, with a trial or without. No trial is offered after that. */
	usedAt: instant(),
})
