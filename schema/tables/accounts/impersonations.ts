import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { createdAt, instant } from '../columns.ts'

/** Sessions in which a superadmin sees an organization as one of its members does. Kept for a year as a record. */
export const impersonations = sqliteTable(
	'impersonations',
	{
		id: text().primaryKey(),
		/** The superadmin; null after the deletion of their account. */
		impersonatorId: integer(),
		/** The impersonator's users.tokenVersion at the start. A password change ends the impersonation. */
		impersonatorTokenVersion: integer().notNull(),
		/** The session in which the impersonator started it, and with which it ends. */
		sessionId: text().notNull(),
		/** The member. */
		userId: integer().notNull(),
		orgId: text().notNull(),
		reason: text().notNull(),
		/** The number of the support case. */
		caseNumber: text('ticket'),
		mayWrite: integer({ mode: 'boolean' }).notNull(),
		createdAt: createdAt(),
		expiresAt: instant().notNull(),
		/** Accurate to five minutes; null before the first request that is later than that. */
		lastSeenAt: instant(),
		/** When somebody ended it, before it expired. */
		endedAt: instant(),
	},
	(t) => [
		index('impersonations_org').on(t.orgId, t.createdAt, t.id),
		index('impersonations_user').on(t.userId),
		index('impersonations_impersonator').on(t.impersonatorId),
		index('impersonations_expiry').on(t.expiresAt),
	],
)
