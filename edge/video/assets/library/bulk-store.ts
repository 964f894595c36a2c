import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import { assets, collections } from '#schema/tables/video/assets.ts'
import { auditIfChangedStatement } from '../../../platform/audit/audit.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import type { AssetRow } from '../store.ts'

type Change = Pick<AssetRow, 'collectionId'> | Pick<AssetRow, 'visibility'>

/** Changes many assets of an organization in one transaction. The number of statements does not depend on theirs. */
export const bulkStore = (db: Db) => ({
	/**
	 * Returns the assets that exist, and those that were changed. Skips assets that already have the value. The entry in the
	 * audit log contains `details` and the number of changed assets.
	 */
	async change(
		work: UnitOfWork,
		orgId: string,
		ids: readonly string[],
		change: Change,
		details: Record<string, unknown>,
	) {
		const isChosen = and(
			sql`${assets.id} in (select value from json_each(${JSON.stringify(ids)}) as chosen)`,
			// The plus keeps SQLite from walking through all assets of the organization.
			sql`+${assets.orgId} = ${orgId}`,
		)
		const { found, changed } = await batch(db, {
			found: db.select({ id: assets.id }).from(assets).where(isChosen),
			changed: db
				.update(assets)
				.set({ ...change, updatedAt: work.now })
				.where(and(isChosen, differs(orgId, change)))
				.returning({ id: assets.id, playbackId: assets.playbackId, collectionId: assets.collectionId }),
			entryWritten: auditIfChangedStatement(work, {
				action: 'assets.bulk_changed',
				details: sql`json_set(${JSON.stringify(details)}, '$.changed', changes())`,
			}),
		})
		return { found, changed }
	},

	async hasCollection(orgId: string, id: string): Promise<boolean> {
		const rows = await db
			.select({ id: collections.id })
			.from(collections)
			.where(and(eq(collections.orgId, orgId), eq(collections.id, id)))
		return rows.length > 0
	},
})

function differs(orgId: string, change: Change): SQL | undefined {
	if ('visibility' in change) return ne(assets.visibility, change.visibility)
	const { collectionId } = change
	return and(
		sql`${assets.collectionId} is not ${collectionId}`,
		collectionId === null
			? undefined
			: sql`exists (
				select 1 from ${collections}
				where ${collections.id} = ${collectionId} and ${collections.orgId} = ${orgId}
			)`,
	)
}
