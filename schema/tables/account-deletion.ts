import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt, instant } from './columns.ts'

export const accountDeletionRequests = sqliteTable(
	'account_deletion_requests',
	{
		id: text().primaryKey(),
		/** null once it is carried out: the request stays, and says nothing of whom it was. */
		userId: integer(),
		status: text({ enum: ['pending', 'confirmed', 'cancelled', 'completed'] }).notNull(),
		/** Posts and comments go too, instead of staying without an author. */
		deleteContent: integer({ mode: 'boolean' }).notNull(),
		requestedAt: instant().notNull(),
		scheduledFor: instant().notNull(),
		confirmedAt: instant(),
		cancelledAt: instant(),
		completedAt: instant(),
		/** When the first data went: from then on there is nothing left to cancel. */
		executingAt: instant(),
		/** When the sweep may (again) hand it to the queue. */
		dueAt: instant().notNull(),
		/** The link's token, sealed (edge/platform/tokens/link-token.ts), and its hash. null: nobody is sent a link. */
		tokenNonce: text(),
		cancellationTokenHash: text(),
	},
	(t) => [
		// The one guard against two open requests of a person, however close together they come.
		uniqueIndex('account_deletion_requests_open').on(t.userId).where(sql`status in ('pending', 'confirmed')`),
		uniqueIndex('account_deletion_requests_token').on(t.cancellationTokenHash),
		index('account_deletion_requests_user').on(t.userId, t.requestedAt, t.id),
		index('account_deletion_requests_due').on(t.dueAt).where(sql`status = 'confirmed'`),
		index('account_deletion_requests_scheduled').on(t.scheduledFor).where(sql`status = 'confirmed'`),
		check('account_deletion_requests_whose', sql`status = 'completed' or user_id is not null`),
	],
)

export const accountDeletionLogs = sqliteTable(
	'account_deletion_logs',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		deletionRequestId: text().notNull(),
		action: text({ enum: ['requested', 'confirmed', 'reminder_sent', 'cancelled', 'executed'] }).notNull(),
		details: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
		createdAt: createdAt(),
	},
	(t) => [
		index('account_deletion_logs_request').on(t.deletionRequestId, t.id),
		uniqueIndex('account_deletion_logs_once')
			.on(t.deletionRequestId, t.action)
			.where(sql`action in ('requested', 'cancelled', 'executed')`),
		// What is forgotten by age: see forgetAddresses in edge/account-deletion/store.ts.
		index('account_deletion_logs_addresses')
			.on(t.createdAt)
			.where(sql`json_type(details, '$.ip_address') is not null`),
	],
)

/** One row per request and kind, claimed before the mail is made: however often the job runs, one mail follows. */
export const accountDeletionReminders = sqliteTable(
	'account_deletion_reminders',
	{
		deletionRequestId: text().notNull(),
		kind: text({ enum: ['7_day', 'final'] }).notNull(),
		claimedAt: instant().notNull(),
		sentAt: instant(),
	},
	(t) => [
		uniqueIndex('account_deletion_reminders_once').on(t.deletionRequestId, t.kind),
		index('account_deletion_reminders_unsent').on(t.claimedAt).where(sql`sent_at is null`),
	],
)

/**
 * Who must not come back out of a backup. User ids are never reused, so an id is enough. A copy of each row is an
 * object in the vault, because a restored database does not know what happened after its backup.
 */
export const erasureLedger = sqliteTable(
	'erasure_ledger',
	{
		/** The request's id. */
		id: text().primaryKey(),
		userId: integer().notNull(),
		deleteContent: integer({ mode: 'boolean' }).notNull(),
		completedAt: instant().notNull(),
		/** When no backup that is kept can hold the person any more. */
		purgeAfter: instant().notNull(),
	},
	(t) => [index('erasure_ledger_purge').on(t.purgeAfter)],
)
