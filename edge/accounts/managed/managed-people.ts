import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import { users } from '#schema/tables/accounts/identity.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'

/** Returns the statement that inserts a person without an account for each row of a selection. */
export const insertManagedStatement = (
	db: Db,
	{ name, managedKey }: { name: SQL<string>; managedKey: SQL<string> },
	source: SQL,
	now: number,
) => insertSelect(db, users, { name, managedKey, createdAt: now, updatedAt: now }, source)

/** SQL condition: the user has no account. The unary plus keeps SQLite from reading the index of all managed people. */
const hasManagedKey = sql`+users.managed_key is not null`

/** Renames managed people. `names` selects `id` and `name`; accounts in it stay as they are. */
export const renameManagedStatement = (db: Db, names: SQL, now: number) =>
	db
		.update(users)
		.set({ name: sql`renamed.name`, updatedAt: now })
		.from(sql`(${names}) as renamed`)
		.where(sql`users.id = renamed.id and ${hasManagedKey}`)

/**
 * Marks managed people for erasure by the sweep of account deletion. Accounts in `userIds` are not affected. Returns the
 * marked users.
 */
export const markForErasureStatement = (
	db: Db,
	userIds: SQL,
	{ deleteContent, now }: { deleteContent: boolean; now: number },
) =>
	db
		.update(users)
		.set({ eraseAt: now, eraseContent: deleteContent, updatedAt: now })
		.where(sql`users.id in ${userIds} and ${hasManagedKey} and erase_at is null`)
		.returning({ id: users.id })

/** Returns how to erase a managed person who is marked, or undefined. */
export async function findMarkedForErasure(db: Db, userId: number) {
	const [row] = await db
		.select({ deleteContent: users.eraseContent })
		.from(users)
		.where(and(eq(users.id, userId), isNotNull(users.managedKey), isNotNull(users.eraseAt)))
	return row
}
