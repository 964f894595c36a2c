import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt, instant } from '../../columns.ts'

/** An organization that has started a checkout, and what Stripe said last about it. */
export const billingAccounts = sqliteTable(
	'billing_accounts',
	{
		orgId: text().primaryKey(),
		/** The customer at Stripe; null until it is created, and after it was deleted there. */
		customerId: text(),
		/** Raised when the customer was deleted at Stripe, so that the next checkout creates another one. */
		customerGeneration: integer().notNull().default(0),
		/** Counts the comparisons with Stripe. Raised before anything is fetched. */
		syncsBegun: integer().notNull().default(0),
		/** The comparison whose state is stored. That of an earlier one never replaces it. */
		storedSync: integer().notNull().default(0),
		/** Counts the checkouts. Only the last one may hand out the address of its session. */
		checkoutsBegun: integer().notNull().default(0),
		checkoutSessionId: text(),
		subscriptionId: text(),
		/** The status in the words of Stripe; null without a subscription that could still be paid. */
		status: text(),
		tier: text({ enum: ['pro', 'business'] }),
		interval: text({ enum: ['month', 'year'] }),
		currentPeriodEnd: instant(),
		cancelAt: instant(),
		/** Until when the tier is kept although a payment failed. */
		graceUntil: instant(),
		/** When the first subscription of the organization was seen. Later ones have no trial. */
		subscribedAt: instant(),
		syncedAt: instant(),
		/** When the state is next compared with Stripe, and usage is reported. */
		reconcileAt: instant().notNull(),
		createdAt: createdAt(),
	},
	(t) => [
		uniqueIndex('billing_accounts_customer').on(t.customerId).where(sql`customer_id is not null`),
		index('billing_accounts_reconcile').on(t.reconcileAt),
	],
)

/** Events that Stripe has sent, so that each counts once. */
export const billingEvents = sqliteTable(
	'billing_events',
	{
		id: text().primaryKey(),
		type: text().notNull(),
		receivedAt: instant().notNull(),
	},
	(t) => [index('billing_events_received').on(t.receivedAt)],
)

/** Customers of deleted organizations. Their subscriptions are yet to be cancelled. */
export const billingClosures = sqliteTable(
	'billing_closures',
	{
		customerId: text().primaryKey(),
		createdAt: createdAt(),
		dueAt: instant().notNull(),
	},
	(t) => [index('billing_closures_due').on(t.dueAt)],
)
