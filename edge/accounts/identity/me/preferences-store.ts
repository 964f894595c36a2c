import { eq, sql } from 'drizzle-orm'
import type { Preferences, PreferencesPatch } from '#schema/contract/accounts/preferences.ts'
import { users } from '#schema/tables/accounts/identity.ts'
import type { Db } from '../../../platform/database/database.ts'

type Stored = Partial<Preferences> | null | undefined

export const preferencesStore = (db: Db) => ({
	async find(userId: number): Promise<Stored> {
		const [row] = await db.select({ preferences: users.preferences }).from(users).where(eq(users.id, userId))
		return row?.preferences
	},

	/** Removes the fields that are null in the patch. */
	async update(userId: number, patch: PreferencesPatch, now: number): Promise<Stored> {
		const merged = sql`json_patch(coalesce(${users.preferences}, '{}'), ${JSON.stringify(patch)})`
		const [row] = await db
			.update(users)
			.set({ preferences: merged, updatedAt: now })
			.where(eq(users.id, userId))
			.returning({ preferences: users.preferences })
		return row?.preferences
	},
})
