import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { ApiScope } from '#schema/contract/accounts/roles.ts'
import { createdAt, instant } from '../columns.ts'

/** Requests of devices for an API key (RFC 8628). They end after ten minutes and are kept for a day. */
export const deviceRequests = sqliteTable(
	'device_requests',
	{
		id: text().primaryKey(),
		/** The SHA-256 of the code that the program keeps. */
		deviceCodeHash: text().notNull(),
		/** A keyed hash of the code that the person enters. */
		userCodeHash: text().notNull(),
		/** The program. */
		clientId: text().notNull(),
		deviceName: text().notNull(),
		scopes: text({ mode: 'json' }).$type<ApiScope[]>().notNull(),
		ip: text().notNull(),
		country: text(),
		createdAt: createdAt(),
		expiresAt: instant().notNull(),
		intervalSeconds: integer().notNull(),
		lastPolledAt: instant(),
		state: text({ enum: ['pending', 'approved', 'denied', 'done'] })
			.notNull()
			.default('pending'),
		approvedByUserId: integer(),
		/** The approver's users.tokenVersion. A password change or a lock takes the approval back. */
		approverTokenVersion: integer(),
		orgId: text(),
		grantedScopes: text({ mode: 'json' }).$type<ApiScope[]>(),
	},
	(t) => [
		uniqueIndex('device_requests_device_code').on(t.deviceCodeHash),
		uniqueIndex('device_requests_user_code').on(t.userCodeHash),
		index('device_requests_approver').on(t.approvedByUserId),
		index('device_requests_org').on(t.orgId),
		index('device_requests_created').on(t.createdAt),
	],
)
