import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt, instant } from '../columns.ts'

export const accountDeletionRequests = sqliteTable(
	'account_deletion_requests',
	{
		id: text().primaryKey(),
		/** null once the deletion is completed: the request is kept without a reference to the person. */
		userId: integer(),
		status: text({ enum: ['pending', 'confirmed', 'cancelled', 'completed'] }).notNull(),
		/** Whether posts and comments are deleted too, instead of being kept without an author. */
		deleteContent: integer({ mode: 'boolean' }).notNull(),
		requestedAt: instant().notNull(),
		scheduledFor: instant().notNull(),
		confirmedAt: instant(),
		cancelledAt: instant(),
		completedAt: instant(),
		/** When the first data was deleted. From then on, the request can't be cancelled. */
		executingAt: instant(),
		/** When the sweep may next send the request to the queue. */
		dueAt: instant().notNull(),
		/** The token of the link, sealed (edge/platform/tokens/link-token.ts), and its hash; null if no link is sent. */
		tokenNonce: text(),
		cancellationTokenHash: text(),
	},
	(t) => [
		// The only guard against two open requests of a person that arrive concurrently.
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
		// What is forgotten by age: see pruneIpAddresses in edge/operations/account-deletion/store.ts.
		index('account_deletion_logs_addresses')
			.on(t.createdAt)
			.where(sql`json_type(details, '$.ip_address') is not null`),
	],
)

/** One row per request and kind, claimed before the mail is created, so that repeated runs send one mail. */
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
 * Deleted users, who must not reappear after a restore. User ids are never reused, so an id is enough. A copy of each row
 * is an object in the vault, because a restored database does not contain what happened after its backup.
 */
export const erasureLedger = sqliteTable(
	'erasure_ledger',
	{
		/** The id of the request. */
		id: text().primaryKey(),
		userId: integer().notNull(),
		deleteContent: integer({ mode: 'boolean' }).notNull(),
		completedAt: instant().notNull(),
		/** When no kept backup can contain the person any more. */
		purgeAfter: instant().notNull(),
	},
	(t) => [index('erasure_ledger_purge').on(t.purgeAfter)],
)
