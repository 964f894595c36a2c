import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt } from '../columns.ts'

/** Origins of web pages that may call the API, listed by an organization or for one of its communities. */
export const allowedOrigins = sqliteTable(
	'allowed_origins',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		orgId: text().notNull(),
		/** Null for an origin of the organization itself. */
		communityId: integer(),
		origin: text().notNull(),
		createdAt: createdAt(),
	},
	(t) => [
		uniqueIndex('allowed_origins_org').on(t.orgId, t.origin).where(sql`community_id is null`),
		uniqueIndex('allowed_origins_community').on(t.communityId, t.origin).where(sql`community_id is not null`),
		index('allowed_origins_owner').on(t.orgId, t.id),
		index('allowed_origins_origin').on(t.origin),
	],
)
