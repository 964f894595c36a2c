import { and, asc, eq, sql } from 'drizzle-orm'
import { MAX_SAVED_VIEWS } from '#schema/contract/video/saved-views.ts'
import { savedViews } from '#schema/tables/video/saved-views.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'

export type SavedViewRow = typeof savedViews.$inferSelect

export type SavedViewChange = {
	[Field in 'name' | 'filter' | 'sort']?: SavedViewRow[Field] | undefined
}

const isView = (orgId: string, id: string) => and(eq(savedViews.orgId, orgId), eq(savedViews.id, id))

export const savedViewStore = (db: Db) => ({
	async list(orgId: string): Promise<SavedViewRow[]> {
		return db.select().from(savedViews).where(eq(savedViews.orgId, orgId)).orderBy(asc(savedViews.id))
	},

	/** Returns nothing if the organization already has the maximum number of views. */
	async insert(row: SavedViewRow): Promise<SavedViewRow | undefined> {
		const [inserted] = await insertSelect(
			db,
			savedViews,
			row,
			sql`where (select count(*) from ${savedViews} where ${savedViews.orgId} = ${row.orgId}) < ${MAX_SAVED_VIEWS}`,
		).returning()
		return inserted
	},

	async update(
		orgId: string,
		id: string,
		change: SavedViewChange,
		now: number,
	): Promise<SavedViewRow | undefined> {
		const [row] = await db
			.update(savedViews)
			.set({ ...change, updatedAt: now })
			.where(isView(orgId, id))
			.returning()
		return row
	},

	async delete(orgId: string, id: string): Promise<boolean> {
		const deleted = await db.delete(savedViews).where(isView(orgId, id)).returning({ id: savedViews.id })
		return deleted.length > 0
	},
})
