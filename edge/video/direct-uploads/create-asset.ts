import { sql } from 'drizzle-orm'
import { batch } from '../../platform/database/batch.ts'
import { isUniqueViolation } from '../../platform/database/unique-violation.ts'
import type { Deps } from '../../platform/deps.ts'
import { recordEventIfStatement } from '../../platform/outbox/outbox.ts'
import { newAssetRow, newAssetStatements, wasInserted } from '../assets/new-asset.ts'
import { selectCollection } from '../assets/store.ts'
import { findUpload } from '../uploads/tus/upload-stub.ts'
import { endedError } from './direct-uploads.ts'
import { type DirectUploadRow, directUploadStore } from './store.ts'

/** Creates the asset of a complete file. Only one of several concurrent calls does; none after a cancellation. */
export async function createUploadedAsset(deps: Deps, upload: DirectUploadRow): Promise<void> {
	const { db, work, now } = deps
	const { id, orgId, assetId, newAsset } = upload
	const row = newAssetRow(deps, orgId, assetId, newAsset)
	const { collectionId, playbackId } = row
	const asset = {
		...row,
		// The collection may have been deleted since, as its videos lose it.
		...(collectionId !== null && { collectionId: sql<string>`(${selectCollection(orgId, collectionId)})` }),
	}
	const store = directUploadStore(db)
	try {
		await batch(db, {
			uploadEnded: store.endStatement(id, 'asset_created', now),
			...newAssetStatements(deps, asset, sql`changes() > 0`),
			endRecorded: recordEventIfStatement(
				work,
				{ type: 'upload.asset_created', orgId, payload: { uploadId: id, assetId, playbackId } },
				wasInserted(row),
			),
		})
	} catch (error) {
		// Another request created it in this millisecond.
		if (!isUniqueViolation(error)) throw error
	}
	const current = await store.find(orgId, id)
	if (current?.status === 'asset_created') return
	await findUpload(deps.env, assetId)?.end(null)
	throw endedError()
}
