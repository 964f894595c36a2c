import { type SQL, sql } from 'drizzle-orm'
import { assets } from '#schema/tables/video/assets.ts'
import { randomBase62 } from '../../platform/database/ids.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { Deps } from '../../platform/deps.ts'
import { recordEventIfStatement } from '../../platform/outbox/outbox.ts'
import { PLAYBACK_ID_LENGTH, toEventPayload } from './assets.ts'
import { searchStore } from './search-store.ts'
import type { AssetRow } from './store.ts'

type NewAsset = Pick<AssetRow, 'id' | 'orgId' | 'title' | 'visibility' | 'publicSettings'> & {
	metadata?: AssetRow['metadata'] | undefined
}

/** Returns statements that create the asset of a direct upload, if `condition` holds for the statement before them. */
export function newUploadedAssetStatements(
	{ db, work, now }: Deps,
	asset: NewAsset,
	uploadId: string,
	condition: SQL,
) {
	const row = {
		...asset,
		status: 'created',
		playbackId: randomBase62(PLAYBACK_ID_LENGTH),
		metadata: asset.metadata ?? {},
		createdAt: now,
		updatedAt: now,
	} as const
	const { id: assetId, orgId, playbackId } = row
	const wasCreated = sql`exists (
		select 1 from assets as made where made.id = ${assetId} and made.playback_id = ${playbackId}
	)`
	return [
		insertSelect(db, assets, row, sql`where ${condition}`),
		...searchStore(db).insertStatements({ ...row, description: null }, wasCreated),
		recordEventIfStatement(work, { type: 'asset.created', orgId, payload: toEventPayload(row) }, wasCreated),
		recordEventIfStatement(
			work,
			{ type: 'upload.asset_created', orgId, payload: { uploadId, assetId, playbackId } },
			wasCreated,
		),
	]
}
