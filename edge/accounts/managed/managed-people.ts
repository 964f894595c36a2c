import { and, isNotNull, type SQL, sql } from 'drizzle-orm'
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

/** Renames managed people. `names` selects `id` and `name`; accounts in it stay as they are. */
export const renameManagedStatement = (db: Db, names: SQL, now: number) =>
	db
		.update(users)
		.set({ name: sql`renamed.name`, updatedAt: now })
		.from(sql`(${names}) as renamed`)
		.where(and(sql`users.id = renamed.id`, isNotNull(users.managedKey)))
