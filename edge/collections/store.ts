import { and, asc, eq, sql } from 'drizzle-orm'
import { assets, collections } from '#schema/tables/assets.ts'
import type { Db } from '../platform/database.ts'

export type CollectionRow = typeof collections.$inferSelect
export type CountedCollection = CollectionRow & { videoCount: number }
type Position = readonly [number, string | number] | null

// Spelt out, since drizzle prints the columns of a select from one table without their table.
const videoCount = sql<number>`(select count(*) from assets as v where v.org_id = collections.org_id and v.collection_id = collections.id)`

const columns = {
	id: collections.id,
	orgId: collections.orgId,
	name: collections.name,
	color: collections.color,
	createdAt: collections.createdAt,
	updatedAt: collections.updatedAt,
	videoCount: videoCount.as('video_count'),
}

export const collectionStore = (db: Db) => ({
	async insert(row: CollectionRow): Promise<void> {
		await db.insert(collections).values(row)
	},

	async list(orgId: string, limit: number, position: Position): Promise<CountedCollection[]> {
		const after =
			position && sql`(${collections.createdAt}, ${collections.id}) > (${position[0]}, ${position[1]})`
		return db
			.select(columns)
			.from(collections)
			.where(and(eq(collections.orgId, orgId), after ?? undefined))
			.orderBy(asc(collections.createdAt), asc(collections.id))
			.limit(limit + 1)
	},

	async update(
		orgId: string,
		id: string,
		change: Partial<Pick<CollectionRow, 'name' | 'color'>>,
		now: number,
	): Promise<CountedCollection | undefined> {
		const [row] = await db
			.update(collections)
			.set({ ...change, updatedAt: now })
			.where(and(eq(collections.id, id), eq(collections.orgId, orgId)))
			.returning(columns)
		return row
	},

	/** Statement for a batch. */
	delete(orgId: string, id: string) {
		return db
			.delete(collections)
			.where(and(eq(collections.id, id), eq(collections.orgId, orgId)))
			.returning({ id: collections.id })
	},

	/** Statement for a batch: its assets belong to no collection then. */
	releaseAssets(orgId: string, id: string, now: number) {
		return db
			.update(assets)
			.set({ collectionId: null, updatedAt: now })
			.where(and(eq(assets.orgId, orgId), eq(assets.collectionId, id)))
	},
})
