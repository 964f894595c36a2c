import type { SQL } from 'drizzle-orm'
import { type AuditDraft, auditIfChangedStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { assetNotFoundError, toEventPayload } from './assets.ts'
import { deleteCachedPlayable } from './playable/playable.ts'
import { searchStore } from './search/search-store.ts'
import { type AssetRef, type AssetRow, assetStore } from './store.ts'
import { isAssetDeleted, trashStore } from './trash/store.ts'

/** Deletes an asset, and queues the purges of its objects after the response. */
export async function deleteAsset(deps: Deps, orgId: string, id: string): Promise<void> {
	await removeAsset(deps, orgId, id)
	deps.defer(queuePurges(deps))
}

/**
 * Deletes the row, and records purges of all stored objects, which a batch can't delete. The caller queues
 * the purges; they run a second time when no upload can arrive any more. Writes `entry` in the audit log if the row is
 * deleted.
 */
export async function removeAsset(
	deps: Deps,
	orgId: string,
	id: string,
	entry: AuditDraft | null = null,
): Promise<void> {
	const row = await assetStore(deps.db).find(orgId, id)
	if (row && (await removeRow(deps, row, assetStore(deps.db), entry))) return
	// The asset may be in the trash: a concurrent request may have moved it there since the row was read.
	if (!(await removeTrashedAsset(deps, { orgId, id }, { entry }))) throw assetNotFoundError()
}

/** Deletes an asset in the trash. Returns false if the asset is not in the trash or does not meet the condition. */
export async function removeTrashedAsset(
	deps: Deps,
	asset: AssetRef,
	{ condition, entry = null }: { condition?: SQL; entry?: AuditDraft | null } = {},
): Promise<boolean> {
	const store = trashStore(deps.db)
	const row = await store.claimDeletion(asset, deps.now, condition)
	return row !== undefined && removeRow(deps, row, store, entry)
}

type RowStore = Pick<ReturnType<typeof assetStore>, 'purgeStatement'> & {
	deleteStatement: ReturnType<typeof assetStore | typeof trashStore>['deleteStatement']
}

async function removeRow(
	deps: Deps,
	row: AssetRow,
	store: RowStore,
	entry: AuditDraft | null,
): Promise<boolean> {
	const { db, work, now } = deps
	const { orgId, id } = row
	// A concurrent request may have moved the asset to the trash, where its rows must stay.
	const isDeleted = isAssetDeleted(row)
	const processing = deps.contributions.assetProcessing.removal(deps, id, isDeleted)
	const { assetDeleted, tasksDeleted } = await batch(db, {
		purgesRecorded: store.purgeStatement(orgId, id, now),
		assetDeleted: store.deleteStatement(orgId, id),
		eventRecorded: recordEventIfChangedStatement(work, {
			type: 'asset.deleted',
			orgId,
			payload: toEventPayload(row),
		}),
		entryWritten: entry && auditIfChangedStatement(work, entry),
		searchTermsDeleted: searchStore(db).deleteStatements(row, isDeleted),
		belongingsDeleted: deps.contributions.deleteOfAssetStatements(db, id, isDeleted),
		tasksDeleted: processing.deleteTasksStatement,
		processingEnded: processing.endProcessingStatements,
	})
	if (assetDeleted.length === 0) return false
	await deleteCachedPlayable(row.playbackId, row.collectionId)
	processing.finish(tasksDeleted)
	return true
}
