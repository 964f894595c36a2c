import type { DirectUpload } from '#schema/contract/video/direct-uploads.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import { fillNewAsset, resolveProcessOptions } from '../assets/new-asset.ts'
import type { DirectUploadRow } from './store.ts'

export const viewDirectUpload = (row: DirectUploadRow): DirectUpload => ({
	id: row.id,
	status: row.status,
	assetId: row.status === 'asset_created' ? row.assetId : null,
	corsOrigin: row.corsOrigin,
	maxBytes: row.maxBytes,
	contentTypes: [...row.contentTypes],
	newAsset: {
		...fillNewAsset(row.newAsset),
		process: row.newAsset.process ?? null,
		processOptions: resolveProcessOptions(row.newAsset),
	},
	error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' },
	createdAt: toIso(row.createdAt),
	expiresAt: toIso(row.expiresAt),
	endedAt: toIsoOrNull(row.endedAt),
})
