import { index, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt, instant } from '../columns.ts'

/** One row per mail, so that a message that arrives twice sends one mail. Contains no address. */
export const mails = sqliteTable(
	'mails',
	{
		id: text().primaryKey(),
		claimedUntil: instant().notNull(),
		sentAt: instant(),
		createdAt: createdAt(),
	},
	(t) => [index('mails_created').on(t.createdAt)],
)

/** Addresses that unsubscribed from invitations. Kept when the account is deleted, because the preference still holds. */
export const mailRefusals = sqliteTable('mail_refusals', {
	/** A keyed hash, so that the database reveals no address. */
	addressHash: text().primaryKey(),
	createdAt: createdAt(),
})

/** Reports of invitations of an organization, one per address. */
export const mailReports = sqliteTable(
	'mail_reports',
	{
		orgId: text().notNull(),
		addressHash: text().notNull(),
		createdAt: createdAt(),
	},
	(t) => [
		uniqueIndex('mail_reports_org').on(t.orgId, t.addressHash),
		index('mail_reports_created').on(t.createdAt),
	],
)
