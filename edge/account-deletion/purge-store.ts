import { eq, inArray, lte } from 'drizzle-orm'
import { objectPurges } from '#schema/tables/account-deletion.ts'
import type { Db } from '../platform/database.ts'

export const purgeStore = (db: Db) => ({
	async claimDue(now: number, leaseMs: number, limit: number): Promise<string[]> {
		const due = db
			.select({ id: objectPurges.id })
			.from(objectPurges)
			.where(lte(objectPurges.dueAt, now))
			.orderBy(objectPurges.dueAt)
			.limit(limit)
		const taken = await db
			.update(objectPurges)
			.set({ dueAt: now + leaseMs })
			.where(inArray(objectPurges.id, due))
			.returning({ id: objectPurges.id })
		return taken.map(({ id }) => id)
	},

	async find(id: string) {
		const [row] = await db.select().from(objectPurges).where(eq(objectPurges.id, id))
		return row
	},

	async finish(id: string): Promise<void> {
		await db.delete(objectPurges).where(eq(objectPurges.id, id))
	},
})
