import { sql } from 'drizzle-orm'
import { standardPublicSettings } from '#schema/contract/video/assets.ts'
import { batch } from '../../platform/database/batch.ts'
import { isUniqueViolation } from '../../platform/database/unique-violation.ts'
import type { Deps } from '../../platform/deps.ts'
import { newUploadedAssetStatements } from '../assets/uploaded-asset.ts'
import { findUpload } from '../uploads/tus/upload-stub.ts'
import { endedError } from './direct-uploads.ts'
import { type DirectUploadRow, directUploadStore } from './store.ts'

/** Creates the asset of a complete file. Only one of several concurrent calls does; none after a cancellation. */
export async function createUploadedAsset(deps: Deps, upload: DirectUploadRow): Promise<void> {
	const { db, now } = deps
	const { id, orgId, assetId, newAsset } = upload
	const asset = { id: assetId, orgId, ...newAsset, publicSettings: standardPublicSettings }
	const store = directUploadStore(db)
	try {
		await batch(db, {
			uploadEnded: store.endStatement(id, 'asset_created', now),
			assetCreated: newUploadedAssetStatements(deps, asset, id, sql`changes() > 0`),
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
