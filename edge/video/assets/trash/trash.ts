import { AppError } from '../../../http/errors.ts'
import { type AuditDraft, auditIfChangedStatement } from '../../../platform/audit/audit.ts'
import { DAY } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { recordEventIfChangedStatement } from '../../../platform/outbox/outbox.ts'
import { queuePurges } from '../../../platform/storage/storage-purge.ts'
import { runOrLog } from '../../../platform/work/sweep.ts'
import { assetNotFoundError, findAsset, getAsset, toEventPayload, toUploadPayload } from '../assets.ts'
import { endFrameRequestStatements } from '../frame-request-store.ts'
import { deleteCachedPlayable } from '../playable/playable.ts'
import { removeTrashedAsset } from '../removal.ts'
import type { AssetRef, AssetRow } from '../store.ts'
import { isClaimedForDeletion, isInTrash, type TrashedRow, trashStore } from './store.ts'

const TRASH_KEPT_MS = 30 * DAY
/** A deletion takes up to 25 statements, and D1 allows 1,000 in an invocation. */
const DELETED_AT_ONCE = 35

const assetBusyError = () =>
	new AppError(
		'conflict',
		'the asset is being processed, or its subtitles are being translated; wait until that has ended, or delete the asset for good',
	)

/**
 * Moves an asset to the trash, which stops its AI steps until it is restored. A repeated call does not postpone the
 * deletion. Writes the audit entry if it moves the asset.
 */
export async function trashAsset(
	deps: Deps,
	orgId: string,
	id: string,
	entry: AuditDraft | null = null,
): Promise<Pick<TrashedRow, 'deleteAt'> & { isMoved: boolean }> {
	const { db, work, now } = deps
	const asset = { orgId, id }
	const store = trashStore(db)
	const row = await findAsset(deps, orgId, id)
	if (row) {
		const deleteAt = now + TRASH_KEPT_MS
		const { assetMoved } = await batch(db, {
			assetCopied: store.copyToTrashStatement(asset, now, deleteAt, deps.contributions.isAssetBusy(id)),
			assetMoved: store.removeFromLibraryStatement(asset),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'asset.trashed',
				orgId,
				payload: toEventPayload(row),
			}),
			entryWritten: entry && auditIfChangedStatement(work, entry),
			// Must run before the tasks are cancelled: it looks for open ones.
			requestEnded: row.thumbnailFrame && endFrameRequestStatements(db, row, now, isInTrash(asset)),
			workStopped: deps.contributions.stopWorkOnAssetStatements(db, id, now, isInTrash(asset)),
		})
		if (assetMoved.length > 0) {
			await deleteCachedPlayable(row.playbackId, row.collectionId)
			return { deleteAt, isMoved: true }
		}
	}
	const trashed = await store.find(asset)
	if (trashed) return { deleteAt: trashed.deleteAt, isMoved: false }
	if (row && (await findAsset(deps, orgId, id))) throw assetBusyError()
	throw assetNotFoundError()
}

/** Restores an asset from the trash. A repeated call changes nothing. Writes the audit entry if it moves the asset. */
export async function restoreAsset(
	deps: Deps,
	orgId: string,
	id: string,
	entry: AuditDraft | null = null,
): Promise<{ row: AssetRow; isMoved: boolean }> {
	const { db, work, now } = deps
	const asset: AssetRef = { orgId, id }
	const store = trashStore(db)
	const trashed = await store.find(asset)
	if (!trashed) return { row: await getAsset(deps, orgId, id), isMoved: false }
	const {
		assetCopied: [row],
	} = await batch(db, {
		assetCopied: store.copyToLibraryStatement(asset, now),
		assetMoved: store.removeFromTrashStatement(asset),
		eventRecorded: recordEventIfChangedStatement(work, {
			type: 'asset.restored',
			orgId,
			payload: toUploadPayload(trashed),
		}),
		entryWritten: entry && auditIfChangedStatement(work, entry),
	})
	if (!row) return { row: await getAsset(deps, orgId, id), isMoved: false }
	await deleteCachedPlayable(row.playbackId, row.collectionId)
	return { row, isMoved: true }
}

/** Deletes assets that have been in the trash for 30 days. Later runs delete any that remain. */
export async function emptyTrash(deps: Deps): Promise<void> {
	const { db, now, log } = deps
	for (const asset of await trashStore(db).claimDue(now, DELETED_AT_ONCE))
		await runOrLog(log, 'an asset in the trash could not be deleted', { assetId: asset.id }, () =>
			// Meanwhile, the asset may have been restored, and even trashed again.
			removeTrashedAsset(deps, asset, { condition: isClaimedForDeletion(now) }),
		)
	await queuePurges(deps)
}
