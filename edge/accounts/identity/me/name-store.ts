import { and, eq, ne, sql } from 'drizzle-orm'
import { users } from '#schema/tables/accounts/identity.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { AccountCommunities } from '../communities.ts'

export const nameStore = (db: Db, communities: AccountCommunities) => ({
	/** Returns the memberships that use the account's name, because search must index them again. */
	async rename(userId: number, name: string, now: number): Promise<{ id: number }[]> {
		const isNew = sql`exists (select 1 from users u where u.id = ${userId} and u.name <> ${name})`
		const { membersRenamed } = await batch(db, {
			membersRenamed: communities.renameStatement(db, userId, isNew, now),
			userRenamed: db
				.update(users)
				.set({ signupName: sql`coalesce(signup_name, name)`, name, updatedAt: now })
				.where(and(eq(users.id, userId), ne(users.name, name))),
		})
		return membersRenamed
	},
})
