import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { ActorKind, AuditAction, TargetKind } from '#schema/contract/accounts/audit/actions.ts'
import { createdAt } from './columns.ts'

/**
 * What was done, by whom and to what. Each row is written in the batch of its change. Rows are never deleted, and code
 * changes them only to erase a person: their columns become null, while the seal keeps the digest.
 */
export const auditLog = sqliteTable(
	'audit_log',
	{
		/** Counts the rows of the installation in the order of their transactions, without gaps. */
		position: integer().primaryKey({ autoIncrement: true }),
		id: text().notNull(),
		/** Null for the installation itself. */
		orgId: text(),
		action: text().$type<AuditAction>().notNull(),
		actorKind: text().$type<ActorKind>().notNull(),
		/** The id of a key or machine. A person is in the columns below. */
		actorId: text(),
		targetKind: text().$type<TargetKind>(),
		targetId: text(),
		requestId: text(),
		/** Values that name nobody: fields that changed, roles, scopes. */
		details: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
		createdAt: createdAt(),
		actorUserId: integer(),
		/** The address at the time. */
		actorEmail: text(),
		/** The IP address of the request. */
		ipAddress: text(),
		/** Random, so that nobody can guess an erased person from the digest. */
		actorSalt: text(),
		/** The user for whom the actor acts. */
		onBehalfOfUserId: integer(),
		onBehalfOfEmail: text(),
		onBehalfOfSalt: text(),
		targetUserId: integer(),
		targetEmail: text(),
		targetSalt: text(),
	},
	(t) => [
		uniqueIndex('audit_log_id').on(t.id),
		// SQLite appends the position to each of these, which orders entries of the same instant.
		index('audit_log_org').on(t.orgId, t.createdAt),
		index('audit_log_org_action').on(t.orgId, t.action, t.createdAt),
		index('audit_log_time').on(t.createdAt),
		index('audit_log_action').on(t.action, t.createdAt),
		index('audit_log_actor').on(t.actorUserId, t.createdAt),
		index('audit_log_actor_id').on(t.actorId, t.createdAt).where(sql`actor_id is not null`),
		index('audit_log_on_behalf_of').on(t.onBehalfOfUserId),
		index('audit_log_target').on(t.targetUserId),
		index('audit_log_target_email').on(t.targetEmail),
	],
)
