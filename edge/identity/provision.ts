import { type SQL, sql } from 'drizzle-orm'
import { users } from '#schema/tables/identity.ts'
import type { Db } from '../platform/database.ts'

/**
 * Statement for a batch: a person for an address that nobody has yet, without a password: codes sent to the address
 * let its owner in, and nobody else. Leaves someone who is there as they are.
 */
export const provisionUser = (db: Db, user: { email: string; name: string }, now: number, onlyIf: SQL) =>
	db
		.insert(users)
		.select(
			db
				.select({
					id: sql<number>`null`.as('id'),
					email: sql<string>`${user.email}`.as('email'),
					name: sql<string>`${user.name}`.as('name'),
					passwordHash: sql<null>`null`.as('password_hash'),
					tokenVersion: sql<number>`1`.as('token_version'),
					isSuperadmin: sql<boolean>`0`.as('is_superadmin'),
					createdAt: sql<number>`${now}`.as('created_at'),
					updatedAt: sql<number>`${now}`.as('updated_at'),
				})
				.from(sql`(select 1) as nobody`)
				.where(onlyIf),
		)
		.onConflictDoNothing({ target: users.email })
