import { and, asc, eq, sql } from 'drizzle-orm'
import { assets, collections } from '#schema/tables/video/assets.ts'
import type { Db } from '../../platform/database/database.ts'
import { hasValues } from '../../platform/database/has-values.ts'

export type CollectionRow = typeof collections.$inferSelect
export type CountedCollection = CollectionRow & { videoCount: number }
type EditableCollection = Pick<CollectionRow, 'name' | 'color'>
type Position = readonly [number, string | number] | null

// Written as SQL, because drizzle omits the table name of columns in a select from one table.
const videoCount = sql<number>`(
	select count(*) from assets
	where assets.org_id = collections.org_id and assets.collection_id = collections.id
)`

const columns = {
	id: collections.id,
	orgId: collections.orgId,
	name: collections.name,
	color: collections.color,
	createdAt: collections.createdAt,
	updatedAt: collections.updatedAt,
	videoCount: videoCount.as('video_count'),
}

export const pickEditableColumns = ({ name, color }: CollectionRow): EditableCollection => ({ name, color })

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

	async find(orgId: string, id: string): Promise<CountedCollection | undefined> {
		const isCollection = and(eq(collections.id, id), eq(collections.orgId, orgId))
		const [row] = await db.select(columns).from(collections).where(isCollection)
		return row
	},

	/** Changes nothing unless the collection still has the values `before`. */
	async update(
		orgId: string,
		id: string,
		change: Partial<EditableCollection>,
		now: number,
		before?: EditableCollection,
	): Promise<CountedCollection | undefined> {
		const [row] = await db
			.update(collections)
			.set({ ...change, updatedAt: now })
			.where(
				and(eq(collections.id, id), eq(collections.orgId, orgId), before && hasValues(collections, before)),
			)
			.returning(columns)
		return row
	},

	delete(orgId: string, id: string) {
		return db
			.delete(collections)
			.where(and(eq(collections.id, id), eq(collections.orgId, orgId)))
			.returning({ id: collections.id })
	},

	/** Removes all assets from the collection. */
	releaseAssets(orgId: string, id: string, now: number) {
		return db
			.update(assets)
			.set({ collectionId: null, updatedAt: now })
			.where(and(eq(assets.orgId, orgId), eq(assets.collectionId, id)))
	},
})
