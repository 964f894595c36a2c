import { and, eq, isNull, type SQL } from 'drizzle-orm'
import { memberships } from '#schema/tables/community/community.ts'
import type { Db } from '../../platform/database/database.ts'

/** Marks the memberships that show the name of an account for indexing. */
export const renameStatement = (db: Db, userId: number, condition: SQL, now: number) =>
	db
		.update(memberships)
		.set({ updatedAt: now, indexAt: now })
		.where(and(eq(memberships.userId, userId), isNull(memberships.name), condition))
		.returning({ id: memberships.id })
