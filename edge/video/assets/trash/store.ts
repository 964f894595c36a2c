import { and, desc, eq, getTableColumns, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { assets, collections, trashedAssets } from '#schema/tables/video/assets.ts'
import { MINUTE } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect, type SelectedColumns } from '../../../platform/database/insert-select.ts'
import { comesBefore } from '../../../platform/database/keyset.ts'
import { recordPurgesStatement } from '../../../platform/storage/storage-purge.ts'
import { claimDue, type DueRows } from '../../../platform/work/due-rows.ts'
import { selectAssetPrefixes } from '../storage-keys.ts'
import type { AssetRef } from '../store.ts'

/** Longer than the sweep takes to delete the assets of one run. */
const DELETION_LEASE_MS = 30 * MINUTE

export const dueTrash: DueRows = { at: trashedAssets.deleteAt }

export type TrashedRow = typeof trashedAssets.$inferSelect

const ownAsset = ({ orgId, id }: AssetRef) => and(eq(assets.id, id), eq(assets.orgId, orgId))
const ownTrashed = ({ orgId, id }: AssetRef) => and(eq(trashedAssets.id, id), eq(trashedAssets.orgId, orgId))

const names = Object.keys(getTableColumns(assets)) as (keyof typeof assets.$inferSelect)[]
const columnsOf = (table: typeof assets | typeof trashedAssets) =>
	Object.fromEntries(names.map((name) => [name, sql`${table[name]}`])) as SelectedColumns<typeof assets>

/** A request for a frame ends with the move to the trash. */
const endedFrame = sql<null>`
	case ${assets.thumbnailFrame} ->> '$.status' when 'processing' then null else ${assets.thumbnailFrame} end
`

/** Moves rows between `assets` and the trash. Each pair of statements must run in one batch, in this order. */
export const trashStore = (db: Db) => ({
	/** Copies nothing while `isBusy` holds, since results of that work could not be stored in the trash. */
	copyToTrashStatement(asset: AssetRef, now: number, deleteAt: number, isBusy: SQL) {
		return insertSelect(
			db,
			trashedAssets,
			{ ...columnsOf(assets), thumbnailFrame: endedFrame, trashedAt: now, deleteAt, deletingAt: null },
			sql`from ${assets} where ${ownAsset(asset)} and not ${isBusy}`,
		)
	},

	removeFromLibraryStatement(asset: AssetRef) {
		const isInTrash = sql`exists (select 1 from ${trashedAssets} where ${ownTrashed(asset)})`
		return db
			.delete(assets)
			.where(and(ownAsset(asset), isInTrash))
			.returning({ id: assets.id })
	},

	/** Drops the reference to a collection that was deleted meanwhile. */
	copyToLibraryStatement(asset: AssetRef, now: number) {
		const collectionId = sql<string>`(
			select ${collections.id} from ${collections} where ${collections.id} = ${trashedAssets.collectionId}
		)`
		return insertSelect(
			db,
			assets,
			{ ...columnsOf(trashedAssets), collectionId, updatedAt: now },
			sql`from ${trashedAssets} where ${ownTrashed(asset)} and ${isNull(trashedAssets.deletingAt)}`,
		).returning()
	},

	removeFromTrashStatement(asset: AssetRef) {
		const isInLibrary = sql`exists (select 1 from ${assets} where ${ownAsset(asset)})`
		return db
			.delete(trashedAssets)
			.where(and(ownTrashed(asset), isInLibrary))
			.returning({ id: trashedAssets.id })
	},

	async find(asset: AssetRef): Promise<TrashedRow | undefined> {
		const [row] = await db
			.select()
			.from(trashedAssets)
			.where(and(ownTrashed(asset), isNull(trashedAssets.deletingAt)))
		return row
	},

	async findById(id: string): Promise<TrashedRow | undefined> {
		const [row] = await db.select().from(trashedAssets).where(eq(trashedAssets.id, id))
		return row
	},

	/** Returns up to one row more than the limit, most recently trashed first. */
	list(
		orgId: string,
		limit: number,
		position: readonly [number, string | number] | null,
	): Promise<TrashedRow[]> {
		return db
			.select()
			.from(trashedAssets)
			.where(
				and(
					eq(trashedAssets.orgId, orgId),
					isNull(trashedAssets.deletingAt),
					comesBefore(trashedAssets.trashedAt, trashedAssets.id, position),
				),
			)
			.orderBy(desc(trashedAssets.trashedAt), desc(trashedAssets.id))
			.limit(limit + 1)
	},

	/**
	 * Claims assets to delete, including those whose deletion was interrupted. One whose deletion fails is due again when
	 * the lease ends, after all others that are due now.
	 */
	claimDue(now: number, limit: number): Promise<AssetRef[]> {
		const fields = { orgId: trashedAssets.orgId, id: trashedAssets.id }
		return claimDue(db, dueTrash, fields, { now, limit, leaseMs: DELETION_LEASE_MS })
	},

	/** Begins a deletion; from then on, the asset can't be restored. Can be repeated safely. */
	async claimDeletion(asset: AssetRef, now: number, condition?: SQL): Promise<TrashedRow | undefined> {
		const leaseEnd = now + DELETION_LEASE_MS
		const [row] = await db
			.update(trashedAssets)
			.set({
				deletingAt: sql`coalesce(${trashedAssets.deletingAt}, cast(${now} as integer))`,
				deleteAt: sql`min(${trashedAssets.deleteAt}, cast(${leaseEnd} as integer))`,
			})
			.where(and(ownTrashed(asset), condition))
			.returning()
		return row
	},

	/** Reads the row, so it must precede `deleteStatement` in the batch. */
	purgeStatement(orgId: string, id: string, now: number) {
		return recordPurgesStatement(
			db,
			selectAssetPrefixes(sql`${isClaimed({ orgId, id })}`, trashedAssets),
			now,
		)
	},

	deleteStatement(orgId: string, id: string) {
		return db.delete(trashedAssets).where(isClaimed({ orgId, id })).returning({ id: trashedAssets.id })
	},
})

/** SQL condition: the asset is in the trash, and not in the library. */
export const isInTrash = (asset: AssetRef): SQL =>
	sql`exists (select 1 from ${trashedAssets} where ${ownTrashed(asset)})
		and not exists (select 1 from ${assets} where ${ownAsset(asset)})`

/** SQL condition: the asset is neither in the library nor in the trash. */
export const isAssetDeleted = (asset: AssetRef): SQL =>
	sql`not exists (select 1 from ${assets} where ${ownAsset(asset)})
		and not exists (select 1 from ${trashedAssets} where ${ownTrashed(asset)})`

const isClaimed = (asset: AssetRef) => and(ownTrashed(asset), isNotNull(trashedAssets.deletingAt))

/** SQL condition: the asset was due, and is claimed by `claimDue`. */
export const isClaimedForDeletion = (now: number): SQL => lte(trashedAssets.deleteAt, now + DELETION_LEASE_MS)
