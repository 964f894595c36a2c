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
		.select(sql`select null, ${user.email}, ${user.name}, null, 1, 0, ${now}, ${now} where ${onlyIf}`)
		.onConflictDoNothing({ target: users.email })
